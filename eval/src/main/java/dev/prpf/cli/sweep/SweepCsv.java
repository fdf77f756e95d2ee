package dev.prpf.cli.sweep;

import dev.prpf.base.statistics.Interval;
import dev.prpf.base.statistics.MeanStd;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.commons.text.StringEscapeUtils;
import org.jspecify.annotations.Nullable;

/** A sweep as CSV (RFC 4180): a header, then a line each; what does not exist is empty. */
final class SweepCsv {
    private SweepCsv() {}

    /** A line a member. */
    static String members(SweepTable table) {
        List<@Nullable Object> header = new ArrayList<>(Arrays.asList("index", "member"));
        table.axes().forEach(axis -> header.add(axis.key()));
        header.addAll(List.of("state", "exit", "seconds"));
        header.addAll(table.metrics());
        StringBuilder csv = new StringBuilder(line(header));
        for (SweepTable.Line member : table.members()) {
            List<@Nullable Object> cells = new ArrayList<>(Arrays.asList(member.index(), member.name()));
            table.axes().forEach(axis -> cells.add(member.values().get(axis.key())));
            cells.addAll(Arrays.asList(member.state().label(), member.exit(), member.seconds()));
            table.metrics().forEach(metric -> cells.add(member.metrics().get(metric)));
            csv.append(line(cells));
        }
        return csv.toString();
    }

    /** A line a combination of the axes that are no seeds; over seeds also the standard deviation and the interval of each mean. */
    static String rows(SweepTable table) {
        List<@Nullable Object> header = new ArrayList<>();
        table.shownAxes().forEach(axis -> header.add(axis.key()));
        header.add("members");
        for (String metric : table.metrics()) {
            header.add(metric);
            if (table.overSeeds()) {
                header.addAll(List.of(metric + ":std", metric + ":ci_low", metric + ":ci_high"));
            }
        }
        StringBuilder csv = new StringBuilder(line(header));
        for (SweepTable.Row row : table.rows()) {
            List<@Nullable Object> cells = new ArrayList<>(row.values().values());
            cells.add(row.members());
            table.metrics().forEach(metric -> {
                MeanStd over = Objects.requireNonNull(row.metrics().get(metric));
                cells.add(over.mean());
                if (table.overSeeds()) {
                    Interval interval = over.interval();
                    cells.addAll(Arrays.asList(
                            over.std(),
                            interval == null ? null : interval.low(),
                            interval == null ? null : interval.high()));
                }
            });
            csv.append(line(cells));
        }
        return csv.toString();
    }

    private static String line(List<@Nullable Object> cells) {
        return cells.stream()
                .map(cell -> cell == null ? "" : StringEscapeUtils.escapeCsv(cell.toString()))
                .collect(Collectors.joining(",", "", "\n"));
    }
}
