package dev.prpf.cli.sweep;

import dev.prpf.base.files.LockFile;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.statistics.Interval;
import dev.prpf.base.statistics.MeanStd;
import dev.prpf.base.workflow.MemberState;
import dev.prpf.cli.sweep.MemberRun.MemberRecord;
import dev.prpf.cli.sweep.SweepPlan.SweepMember;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.text.StringEscapeUtils;
import org.jspecify.annotations.Nullable;

/**
 * Results of a sweep's members, as {@code --json} prints them.
 *
 * @param members in the plan's order
 * @param rows one for each combination of the axes except seeds, over finished members
 */
record SweepTable(List<Axis> axes, List<String> metrics, List<Line> members, List<Row> rows, List<String> notes) {
    private static final List<String> HEADLINES = List.of("overall.type_acc", "overall.sr", "overall.ftr");
    private static final int MOST_COLUMNS = 12;

    /**
     * One member of the table.
     *
     * @param exit its exit code; null before the first exit
     * @param problem the reason why it is not done, or null
     * @param seconds duration of its finished commands
     * @param log path of its log; null if it did not run on this machine
     * @param metrics by name; null for a missing number
     */
    record Line(
            int index,
            String name,
            Map<String, String> values,
            MemberState state,
            @Nullable Integer exit,
            @Nullable String problem,
            double seconds,
            @Nullable String log,
            Map<String, @Nullable Double> metrics) {
        private Line with(Map<String, @Nullable Double> others) {
            return new Line(index, name, values, state, exit, problem, seconds, log, others);
        }
    }

    /**
     * Members that differ only in their seeds.
     *
     * @param metrics statistics over finished members
     */
    record Row(Map<String, String> values, int members, Map<String, MeanStd> metrics) {}

    /** Gathers the results so far. */
    static SweepTable of(SweepPlan plan) {
        Map<String, String> sources = plan.gather().metrics();
        Map<SweepMember, MemberRecord> records = new LinkedHashMap<>();
        plan.members().forEach(member -> records.put(member, MemberRecord.of(member, plan.results(member))));
        Map<SweepMember, Map<String, Double>> found = new LinkedHashMap<>();
        records.forEach((member, record) -> {
            if (record.done()) {
                found.put(member, metrics(plan, member, record));
            }
        });
        List<String> names = sources.isEmpty() ? differing(found) : List.copyOf(sources.keySet());
        List<Line> lines = records.entrySet().stream()
                .map(entry -> line(
                        plan,
                        entry.getKey(),
                        entry.getValue(),
                        row(names, found.getOrDefault(entry.getKey(), Map.of()))))
                .toList();
        List<String> notes = names.stream()
                .filter(name -> !found.isEmpty() && found.values().stream().noneMatch(one -> one.containsKey(name)))
                .map(name -> "No member has the metric \"" + name + "\" ("
                        + sources.get(name) + "); numbers of their last result are: "
                        + numbers(records.values()))
                .toList();
        return new SweepTable(plan.axes(), names, lines, rows(plan.axes(), names, lines), notes);
    }

    /** Returns a table of few columns, the headline metrics of {@code eval score} first of all. Its CSV files keep the others. */
    SweepTable headline() {
        if (metrics.size() <= MOST_COLUMNS) {
            return this;
        }
        List<String> known = metrics.stream().filter(HEADLINES::contains).toList();
        List<String> kept = known.isEmpty() ? metrics.subList(0, MOST_COLUMNS) : known;
        List<Line> shown = members.stream()
                .map(line -> line.with(row(kept, line.metrics())))
                .toList();
        List<String> noted = new ArrayList<>(notes);
        noted.add(kept.size() + " of " + metrics.size()
                + " numbers that differ; table.csv and members.csv have all, and" + " --metric shows others.");
        return new SweepTable(axes, kept, shown, rows(axes, kept, shown), noted);
    }

    private static Map<String, Double> metrics(SweepPlan plan, SweepMember member, MemberRecord record) {
        Map<String, Double> found = new LinkedHashMap<>();
        if (plan.gather().metrics().isEmpty()) {
            found.putAll(JsonRecords.numbers(last(record).result()));
        }
        plan.gather().metrics().forEach((name, source) -> {
            Double value = MetricSource.parse(plan.filled(source, member)).of(member.runDirectory(), record);
            if (value != null) {
                found.put(name, value);
            }
        });
        return found;
    }

    private static MemberRecord.Step last(MemberRecord record) {
        return record.steps().get(record.steps().size() - 1);
    }

    private static Set<String> numbers(Collection<MemberRecord> records) {
        Set<String> numbers = new LinkedHashSet<>();
        records.stream()
                .filter(MemberRecord::done)
                .forEach(record -> numbers.addAll(
                        JsonRecords.numbers(last(record).result()).keySet()));
        return numbers;
    }

    /** Returns the numbers that differ between members, except an axis's own; with one member, all numbers. */
    private static List<String> differing(Map<SweepMember, Map<String, Double>> members) {
        Collection<Map<String, Double>> found = members.values();
        Set<String> names = new LinkedHashSet<>();
        found.forEach(one -> names.addAll(one.keySet()));
        return names.stream()
                .filter(name -> !isAnAxis(name, members.keySet()))
                .filter(name -> found.size() < 2
                        || found.stream()
                                        .map(one -> String.valueOf(one.get(name)))
                                        .distinct()
                                        .count()
                                > 1)
                .toList();
    }

    /** Returns whether a result of this name repeats a value of an axis. */
    private static boolean isAnAxis(String name, Set<SweepMember> members) {
        return members.stream()
                .flatMap(member -> member.values().keySet().stream())
                .anyMatch(axis -> axis.replaceFirst(".*\\.|^--", "").equals(name.replaceFirst(".*\\.", "")));
    }

    private static Map<String, @Nullable Double> row(
            List<String> names, Map<String, ? extends @Nullable Double> found) {
        Map<String, @Nullable Double> row = new LinkedHashMap<>();
        names.forEach(name -> row.put(name, found.get(name)));
        return row;
    }

    private static Line line(
            SweepPlan plan, SweepMember member, MemberRecord record, Map<String, @Nullable Double> metrics) {
        String log = Files.exists(plan.log(member)) ? plan.log(member).toString() : null;
        return new Line(
                member.index(),
                member.name(),
                member.values(),
                state(plan, member, record),
                record.exit(),
                record.problem(),
                record.seconds(),
                log,
                metrics);
    }

    private static MemberState state(SweepPlan plan, SweepMember member, MemberRecord record) {
        Integer exit = record.exit();
        if (exit != null) {
            return MemberState.left(exit);
        }
        if (LockFile.isHeld(MemberRun.lock(plan, member))) {
            return MemberState.RUNNING;
        }
        return Files.exists(plan.results(member)) ? MemberState.STOPPED : MemberState.WAITING;
    }

    private static List<Row> rows(List<Axis> axes, List<String> names, List<Line> lines) {
        Function<Line, Map<String, String>> withoutSeeds = line -> {
            Map<String, String> values = new LinkedHashMap<>(line.values());
            axes.stream().filter(Axis::overSeeds).forEach(axis -> values.remove(axis.key()));
            return values;
        };
        Map<Map<String, String>, List<Line>> groups = lines.stream()
                .filter(line -> line.state() == MemberState.DONE)
                .collect(Collectors.groupingBy(withoutSeeds, LinkedHashMap::new, Collectors.toList()));
        List<Row> rows = new ArrayList<>();
        groups.forEach((values, group) -> {
            Map<String, MeanStd> metrics = new LinkedHashMap<>();
            for (String name : names) {
                List<@Nullable Double> column = new ArrayList<>();
                group.forEach(line -> column.add(line.metrics().get(name)));
                metrics.put(name, MeanStd.of(column));
            }
            rows.add(new Row(values, group.size(), Collections.unmodifiableMap(metrics)));
        });
        return rows;
    }

    /** Returns the axes in which rows differ. */
    List<Axis> shownAxes() {
        return axes.stream().filter(axis -> !axis.overSeeds()).toList();
    }

    /** Returns whether members are repeated with other seeds. */
    boolean overSeeds() {
        return axes.stream().anyMatch(Axis::overSeeds);
    }

    List<Line> in(MemberState state) {
        return members.stream().filter(member -> member.state() == state).toList();
    }

    static String sentence(Line line) {
        return line.name() + ": " + line.state().label() + (line.exit() == null ? "" : ", exit " + line.exit())
                + (line.log() == null ? "" : ", log " + line.log())
                + (line.problem() == null ? "" : ": " + Objects.requireNonNull(line.problem()));
    }

    /** Returns a CSV table (RFC 4180) with one line for each member; missing values are empty. */
    String membersCsv() {
        List<String> keys = axes.stream().map(Axis::key).toList();
        StringBuilder csv = new StringBuilder();
        addLine(csv, "index", "member", keys, "state", "exit", "seconds", metrics);
        for (Line line : members) {
            List<@Nullable Object> values = new ArrayList<>();
            keys.forEach(key -> values.add(line.values().get(key)));
            String state = line.state().label();
            addLine(
                    csv,
                    line.index(),
                    line.name(),
                    values,
                    state,
                    line.exit(),
                    line.seconds(),
                    line.metrics().values());
        }
        return csv.toString();
    }

    /**
     * Returns a CSV table with one line for each combination of the axes except seeds. With seeds it also holds the standard deviation and
     * interval of each mean.
     */
    String rowsCsv() {
        boolean seeds = overSeeds();
        StringBuilder csv = new StringBuilder();
        addLine(
                csv,
                shownAxes().stream().map(Axis::key).toList(),
                "members",
                metrics.stream()
                        .flatMap(metric -> seeds
                                ? Stream.of(metric, metric + ":std", metric + ":ci_low", metric + ":ci_high")
                                : Stream.of(metric))
                        .toList());
        for (Row row : rows) {
            List<@Nullable Double> cells = new ArrayList<>();
            for (MeanStd over : row.metrics().values()) {
                Interval interval = over.interval();
                cells.add(over.mean());
                if (seeds) {
                    cells.add(over.std());
                    cells.add(interval == null ? null : (Double) interval.low());
                    cells.add(interval == null ? null : (Double) interval.high());
                }
            }
            addLine(csv, row.values().values(), row.members(), cells);
        }
        return csv.toString();
    }

    /** Adds a line; a collection adds several cells. */
    private static void addLine(StringBuilder csv, @Nullable Object... cells) {
        csv.append(Stream.of(cells)
                .flatMap(cell -> cell instanceof Collection<?> several ? several.stream() : Stream.of(cell))
                .map(cell -> cell == null ? "" : StringEscapeUtils.escapeCsv(cell.toString()))
                .collect(Collectors.joining(",", "", "\n")));
    }
}
