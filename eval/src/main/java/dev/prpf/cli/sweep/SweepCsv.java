package dev.prpf.cli.sweep;

import dev.prpf.base.statistics.Interval;
import dev.prpf.base.statistics.MeanStd;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.text.StringEscapeUtils;
import org.jspecify.annotations.Nullable;

/** Writes a sweep as CSV (RFC 4180): a header, then the rows; missing values are empty. */
final class SweepCsv {
    private SweepCsv() {}

    /** Returns one line for each member. */
    static String members(SweepTable table) {
        List<String> axes = table.axes().stream().map(Axis::key).toList();
        StringBuilder csv = new StringBuilder();
        add(csv, "index", "member", axes, "state", "exit", "seconds", table.metrics());
        table.members()
                .forEach(member -> add(
                        csv,
                        member.index(),
                        member.name(),
                        axes.stream().map(member.values()::get).toList(),
                        member.state().label(),
                        member.exit(),
                        member.seconds(),
                        member.metrics().values()));
        return csv.toString();
    }

    /** Returns one line for each combination of the axes except seeds, with seeds also the standard deviation and interval of each mean. */
    static String rows(SweepTable table) {
        boolean seeds = table.overSeeds();
        StringBuilder csv = new StringBuilder();
        add(
                csv,
                table.shownAxes().stream().map(Axis::key).toList(),
                "members",
                table.metrics().stream()
                        .flatMap(metric -> seeds
                                ? Stream.of(metric, metric + ":std", metric + ":ci_low", metric + ":ci_high")
                                : Stream.of(metric))
                        .toList());
        table.rows()
                .forEach(row -> add(
                        csv,
                        row.values().values(),
                        row.members(),
                        row.metrics().values().stream()
                                .flatMap(over -> seeds
                                        ? overSeeds(over)
                                        : Stream.of(over).map(MeanStd::mean))
                                .toList()));
        return csv.toString();
    }

    private static Stream<@Nullable Object> overSeeds(MeanStd over) {
        Interval interval = over.interval();
        return Stream.of(
                over.mean(),
                over.std(),
                interval == null ? null : interval.low(),
                interval == null ? null : interval.high());
    }

    /** Adds a line; a collection adds several cells. */
    private static void add(StringBuilder csv, @Nullable Object... cells) {
        csv.append(Stream.of(cells)
                .flatMap(cell -> cell instanceof Collection<?> several ? several.stream() : Stream.of(cell))
                .map(cell -> cell == null ? "" : StringEscapeUtils.escapeCsv(cell.toString()))
                .collect(Collectors.joining(",", "", "\n")));
    }
}
