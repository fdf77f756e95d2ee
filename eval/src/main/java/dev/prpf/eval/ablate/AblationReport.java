package dev.prpf.eval.ablate;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import dev.prpf.base.statistics.MeanStd;
import dev.prpf.base.workflow.Stage;
import dev.prpf.eval.ablate.AblateConfig.Row;
import dev.prpf.eval.efficiency.EfficiencyTable;
import dev.prpf.eval.efficiency.EfficiencyTable.CostedRun;
import dev.prpf.eval.report.PublishedComparison;
import dev.prpf.eval.report.PublishedResults;
import dev.prpf.eval.report.PublishedResults.PublishedTable;
import dev.prpf.eval.score.Comparison;
import dev.prpf.eval.score.Metric;
import dev.prpf.eval.score.Metrics;
import dev.prpf.eval.score.Scorer.ClusterBy;
import dev.prpf.eval.score.Scores;
import dev.prpf.eval.score.SystemScores;
import dev.prpf.eval.score.SystemScores.ScoredRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The results of an ablation: the rows of the papers' tables.
 *
 * @param n samples
 * @param units sources of samples that are drawn
 * @param clusterBy the definition of a source
 * @param bootstrap settings of the intervals
 * @param judge of functional equivalence
 * @param tables our rows, by table
 * @param published the papers' rows, by table
 * @param models the command lines that made each, in order; none for existing models
 * @param efficiency full costs of Table 10's rows; null without that table
 * @param notes further notes for the reader
 */
public record AblationReport(
        int n,
        long units,
        ClusterBy clusterBy,
        @JsonUnwrapped Bootstrap bootstrap,
        String judge,
        Map<PaperTable, List<AblationRow>> tables,
        Map<PaperTable, PublishedTable> published,
        Map<String, List<String>> models,
        @Nullable EfficiencyTable efficiency,
        List<String> notes) {
    /**
     * Computes the tables from scored predictions.
     *
     * @param scored one for each set of predictions of the plan
     */
    public static AblationReport of(AblationPlan plan, Map<Path, ScoredRun> scored) {
        Costs costs = new Costs(plan, new LinkedHashMap<>());
        Map<PaperTable, List<AblationRow>> tables = new EnumMap<>(PaperTable.class);
        Map<PaperTable, PublishedTable> published = new EnumMap<>(PaperTable.class);
        PublishedResults shipped = PublishedResults.shipped();
        plan.tables().forEach((table, rows) -> {
            tables.put(table, rows(plan, rows, scored, costs));
            published.put(table, shipped.table(table.paper(), table.number()));
        });
        Scores first = scored.values().iterator().next().scores();
        List<Row> costed = plan.tables().getOrDefault(PaperTable.TABLE10, List.of());
        return new AblationReport(
                first.samples().size(),
                first.units(),
                first.clusterBy(),
                first.bootstrap(),
                first.judge(),
                tables,
                published,
                plan.models(),
                costed.isEmpty() ? null : costs.table(costed),
                notes(plan, first));
    }

    private static List<AblationRow> rows(AblationPlan plan, List<Row> rows, Map<Path, ScoredRun> scored, Costs costs) {
        Map<String, SystemScores> systems = new LinkedHashMap<>();
        for (Row row : rows) {
            List<ScoredRun> runs = evaluations(plan, row).stream()
                    .map(evaluation -> Objects.requireNonNull(scored.get(evaluation.predictions())))
                    .toList();
            systems.put(row.name(), new SystemScores(row.name(), runs));
        }
        Map<String, Comparison> comparisons = comparisons(rows, systems);
        return rows.stream()
                .map(row -> AblationRow.of(
                        Objects.requireNonNull(systems.get(row.name())),
                        evaluations(plan, row),
                        costs.of(row),
                        comparisons.get(row.name())))
                .toList();
    }

    /** Compares each row that names another one, by row name; Holm's correction covers the table. */
    private static Map<String, Comparison> comparisons(List<Row> rows, Map<String, SystemScores> systems) {
        List<Comparison.Pair> pairs = new ArrayList<>();
        for (Row row : rows) {
            SystemScores against = row.against() == null ? null : systems.get(row.against());
            if (against != null) {
                pairs.add(new Comparison.Pair(against, Objects.requireNonNull(systems.get(row.name()))));
            }
        }
        Map<String, Comparison> byName = new LinkedHashMap<>();
        if (!pairs.isEmpty()) {
            Bootstrap bootstrap = pairs.get(0).first().first().bootstrap();
            Comparison.ofPairs(pairs, bootstrap).forEach(pair -> byName.put(pair.second(), pair));
        }
        return byName;
    }

    private static List<AblationPlan.Evaluation> evaluations(AblationPlan plan, Row row) {
        return runs(plan, row).stream()
                .flatMap(run -> run.evaluations().stream())
                .toList();
    }

    private static List<AblationPlan.Run> runs(AblationPlan plan, Row row) {
        return row.runs().stream()
                .map(name -> Objects.requireNonNull(plan.runs().get(name)))
                .toList();
    }

    /** Reads the costs of measured runs, each file once. */
    private record Costs(AblationPlan plan, Map<Path, CostedRun> read) {
        /** Returns a cost row for each run of the row, none unless the costs of all runs are measured. */
        List<EfficiencyTable.Row> of(Row row) {
            if (!runs(plan, row).stream().allMatch(AblationPlan.Run::costs)) {
                return List.of();
            }
            return evaluations(plan, row).stream()
                    .map(evaluation -> EfficiencyTable.of(List.of(read(evaluation.predictions(), row.name())), null))
                    .map(table -> table.rows().get(0))
                    .toList();
        }

        EfficiencyTable table(List<Row> rows) {
            return EfficiencyTable.of(
                    rows.stream()
                            .map(row -> read(evaluations(plan, row).get(0).predictions(), row.name()))
                            .toList(),
                    null);
        }

        private CostedRun read(Path predictions, String name) {
            CostedRun run = read.computeIfAbsent(predictions, file -> CostedRun.read(name, file));
            return new CostedRun(name, run.files(), run.ids(), run.sums(), run.resources(), run.decoder());
        }
    }

    private static List<String> notes(AblationPlan plan, Scores first) {
        List<String> notes = new ArrayList<>(List.of(PublishedComparison.remark(first)));
        Stream.ofNullable(first.withoutIntervals()).forEach(notes::add);
        plan.steps().stream()
                .filter(AblationPlan.Step::madeElsewhere)
                .forEach(step -> notes.add(
                        step.name() + " was trained by another program, not by its commands: " + step.gives()));
        if (plan.runs().values().stream().anyMatch(run -> !run.costs())) {
            notes.add(
                    "Operations, latency and memory are given for runs measured separately, in their own process and with"
                            + " an empty store of encodings; of runs that share a store they would be too low.");
        }
        if (plan.runs().values().stream().anyMatch(run -> run.evaluations().size() > 1)) {
            notes.add("A row over several seeds shows mean ± standard deviation over them; its differences are of each"
                    + " sample's mean, and have no test.");
        }
        return notes;
    }

    @JsonIgnore
    List<AblationRow> rows(PaperTable table) {
        return Objects.requireNonNull(tables.get(table), table.label());
    }

    /**
     * One system in a table.
     *
     * @param overall metrics over all samples
     * @param byModality by "text" and "multimodal", if they occur
     * @param flopsMean operations a sample; null if not measured or unknown
     * @param latencyMeanS mean seconds of a sample; null if not measured or unknown
     * @param peakMemoryMb peak resident memory in 10⁶ bytes; null if not measured or unknown
     * @param comparison with its reference row; null without one
     */
    record AblationRow(
            String name,
            @JsonUnwrapped AblationCell overall,
            Map<String, AblationCell> byModality,
            @Nullable Double flopsMean,
            @Nullable Double latencyMeanS,
            @Nullable Double peakMemoryMb,
            List<Source> runs,
            @Nullable Comparison comparison) {
        private static final List<String> MODALITIES = List.of("multimodal", "text");

        /** A set of predictions with its hash and the command line that made it. */
        public record Source(String predictions, String sha256, String command) {}

        /** Makes the row of a system. */
        static AblationRow of(
                SystemScores system,
                List<AblationPlan.Evaluation> evaluations,
                List<EfficiencyTable.Row> costs,
                @Nullable Comparison comparison) {
            Map<String, AblationCell> modalities = new LinkedHashMap<>();
            for (String modality : MODALITIES) {
                AblationCell cell =
                        AblationCell.of(system, scores -> scores.byModality().get(modality));
                if (cell != null) {
                    modalities.put(modality, cell);
                }
            }
            return new AblationRow(
                    system.name(),
                    Objects.requireNonNull(AblationCell.of(system, scores -> scores.overall())),
                    modalities,
                    mean(costs, EfficiencyTable.Row::flopsMean),
                    mean(costs, EfficiencyTable.Row::latencyMeanS),
                    mean(costs, EfficiencyTable.Row::peakMemoryMb),
                    IntStream.range(0, evaluations.size())
                            .mapToObj(i -> new Source(
                                    evaluations.get(i).predictions().toString(),
                                    system.runs().get(i).sha256(),
                                    Stage.typed(evaluations.get(i).command().words())))
                            .toList(),
                    comparison);
        }

        /** Returns the mean; null without costs, or if one is unknown. */
        private static @Nullable Double mean(
                List<EfficiencyTable.Row> costs, Function<EfficiencyTable.Row, @Nullable Double> of) {
            List<Double> known = costs.stream().map(of).filter(Objects::nonNull).toList();
            return costs.isEmpty() || known.size() < costs.size()
                    ? null
                    : known.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
        }

        /** Returns the group of a published column: "all", "multimodal" or "text"; null if it has no sample. */
        @Nullable
        AblationCell cell(String group) {
            return group.equals("all") ? overall : byModality.get(group);
        }

        /**
         * A system's metrics over a group of samples, in percent; over several seeds their means.
         *
         * @param n samples
         * @param values by metric; null for one over no samples
         * @param intervals of one run, by bootstrap; null over several seeds
         * @param overSeeds mean and standard deviation over the runs; null for one run
         */
        record AblationCell(
                int n,
                double malformed,
                @JsonAnyGetter Map<Metric, @Nullable Double> values,
                @JsonProperty("ci") @Nullable Map<Metric, @Nullable Interval> intervals,
                @Nullable Map<Metric, MeanStd> overSeeds) {
            /**
             * Computes the metrics of a system.
             *
             * @param group returns the metrics of a group of samples; null, in every run, for an empty group
             * @return null for an empty group
             */
            static @Nullable AblationCell of(SystemScores system, Function<Scores, @Nullable Metrics> group) {
                Metrics first = group.apply(system.first());
                if (first == null) {
                    return null;
                }
                Map<Metric, MeanStd> statistics = system.statistics(group);
                Map<Metric, @Nullable Double> values = new EnumMap<>(Metric.class);
                statistics.forEach((metric, over) -> values.put(metric, over.mean()));
                double malformed = system.runs().stream()
                        .map(run -> Objects.requireNonNull(group.apply(run.scores())))
                        .mapToInt(Metrics::malformed)
                        .average()
                        .orElseThrow();
                return system.overSeeds()
                        ? new AblationCell(first.n(), malformed, values, null, statistics)
                        : new AblationCell(first.n(), malformed, values, first.intervals(), null);
            }

            /** Returns a metric in percent; null if it does not exist. */
            public @Nullable Double get(Metric metric) {
                return values.get(metric);
            }
        }
    }
}
