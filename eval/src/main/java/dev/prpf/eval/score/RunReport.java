package dev.prpf.eval.score;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import dev.prpf.base.statistics.MeanStd;
import dev.prpf.eval.score.Scorer.ClusterBy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of systems on one gold set; the output of {@code eval report --json}.
 *
 * @param n samples
 * @param units sources of samples that are drawn
 * @param clusterBy the definition of a source
 * @param bootstrap settings of the intervals
 * @param judge of functional equivalence
 * @param systems in the order they were named
 * @param comparisons of all pairs
 * @param differences in the origin of the runs
 * @param shortlist PRPF Table 8's SR row: runs by K, each seed separately; empty if all runs have the same K
 * @param notes further notes for the reader
 */
public record RunReport(
        int n,
        long units,
        ClusterBy clusterBy,
        @JsonUnwrapped Bootstrap bootstrap,
        String judge,
        List<SystemSummary> systems,
        List<Comparison> comparisons,
        List<Provenance.Difference> differences,
        List<TopKRow> shortlist,
        List<String> notes,
        @JsonIgnore List<SystemScores> scored) {

    /**
     * Metrics of a system's runs.
     *
     * @param runs one for each seed
     * @param overSeeds by metric, mean and standard deviation over the runs; null for one run
     */
    public record SystemSummary(String name, List<RunSummary> runs, @Nullable Map<Metric, MeanStd> overSeeds) {}

    /** One run: its file, the file's hash, its metrics as in {@code eval score}, their intervals. */
    public record RunSummary(
            String predictions,
            String sha256,
            Metrics overall,
            @JsonProperty("ci") Map<Metric, @Nullable Interval> intervals) {}

    /** A run with the number of scenarios in its candidate pool. */
    public record TopKRow(int k, String name, @Nullable Double sr, @Nullable Double typeAcc) {}

    /**
     * Compares systems on their samples.
     *
     * @param systems at least one, on the same samples
     * @param notes further notes for the reader
     */
    public static RunReport of(List<SystemScores> systems, List<String> notes) {
        Scores first = systems.get(0).first();
        Map<String, Provenance> provenances = new LinkedHashMap<>();
        for (SystemScores system : systems) {
            for (int r = 0; r < system.runs().size(); r++) {
                provenances.put(
                        system.nameOf(r), Provenance.of(system.runs().get(r).files()));
            }
        }
        List<String> all = new ArrayList<>(notes);
        Stream.ofNullable(first.withoutIntervals()).forEach(all::add);
        systems.forEach(system -> all.addAll(abstentions(system)));
        provenances.forEach((name, provenance) -> {
            if (provenance.facts().isEmpty()) {
                all.add(name + ": no run.json next to its predictions, so their origin is unknown.");
            }
        });
        return new RunReport(
                first.samples().size(),
                first.units(),
                first.clusterBy(),
                first.bootstrap(),
                first.judge(),
                systems.stream().map(RunReport::summary).toList(),
                Comparison.of(systems, first.bootstrap()),
                Provenance.differences(provenances),
                shortlist(systems),
                List.copyOf(all),
                List.copyOf(systems));
    }

    private static SystemSummary summary(SystemScores system) {
        List<RunSummary> runs = system.runs().stream()
                .map(run -> new RunSummary(
                        run.files().predictions().toString(),
                        run.sha256(),
                        run.scores().overall(),
                        run.scores().overall().intervals()))
                .toList();
        return new SystemSummary(system.name(), runs, system.overSeeds() ? system.statistics(Scores::overall) : null);
    }

    private static List<String> abstentions(SystemScores system) {
        return IntStream.range(0, system.runs().size())
                .filter(r -> system.runs().get(r).scores().verdictCounts().abstained() > 0)
                .mapToObj(r -> {
                    Scores.VerdictCounts verdicts =
                            system.runs().get(r).scores().verdictCounts();
                    return system.nameOf(r) + ": the judge abstained on " + verdicts.abstained() + " of the "
                            + verdicts.n() + " samples that it received; SR excludes them.";
                })
                .toList();
    }

    private static List<TopKRow> shortlist(List<SystemScores> systems) {
        List<TopKRow> rows = systems.stream()
                .flatMap(system ->
                        IntStream.range(0, system.runs().size()).boxed().flatMap(r -> shortlist(system, r)))
                .sorted(Comparator.comparingInt(TopKRow::k))
                .toList();
        return rows.stream().map(TopKRow::k).distinct().count() > 1 ? rows : List.of();
    }

    /** Returns a run's row, if its candidate pool was compressed. */
    private static Stream<TopKRow> shortlist(SystemScores system, int run) {
        Integer k = system.runs().get(run).files().shortlist();
        Metrics metrics = system.runs().get(run).scores().overall();
        return k == null
                ? Stream.of()
                : Stream.of(new TopKRow(k, system.nameOf(run), metrics.get(Metric.SR), metrics.get(Metric.TYPE_ACC)));
    }
}
