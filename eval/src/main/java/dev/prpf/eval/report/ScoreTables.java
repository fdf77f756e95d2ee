package dev.prpf.eval.report;

import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import dev.prpf.eval.score.ErrorAnalysis;
import dev.prpf.eval.score.ErrorAnalysis.ErrorCategory;
import dev.prpf.eval.score.ErrorAnalysis.Outcome;
import dev.prpf.eval.score.Metric;
import dev.prpf.eval.score.Metrics;
import dev.prpf.eval.score.Scores;
import dev.prpf.eval.score.Scores.BestMatchRules;
import dev.prpf.eval.score.Scores.GateDecisions;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** Formats a system's scores as the tables of a report. */
final class ScoreTables {
    private ScoreTables() {}

    /** Returns a row for each metric: value, interval and number of samples. */
    static Table headline(Scores scores) {
        Metrics overall = scores.overall();
        String level = String.format(
                Locale.ROOT, "%.0f %% interval", scores.bootstrap().level());
        Table.Builder table = Table.of("metric", "value", level, "n");
        for (Metric metric : Metric.values()) {
            String interval = Shown.interval(overall.intervals().get(metric));
            table.row(metric.label(), overall.get(metric), interval, overall.denominator(metric));
        }
        return table.captioned("Overall, percent (judge: " + scores.judge() + ")");
    }

    /** Returns the table like PRPF Table 9: rows by modality, by difficulty, by both, then all. */
    static Table breakdown(Scores scores) {
        Table.Builder table = ofMetrics("samples");
        scores.byModality().forEach((name, group) -> table.row(cells(name, group)));
        scores.byDifficulty().forEach((level, group) -> {
            table.row(cells("L" + level, group));
            scores.byDifficultyAndModality()
                    .getOrDefault(level, Map.of())
                    .forEach((modality, cell) -> table.row(cells("L" + level + " " + modality, cell)));
        });
        return table.emphasised(cells("all", scores.overall())).captioned("By modality and difficulty, percent");
    }

    /** Returns a row for each scenario, none without a catalogue. */
    static Table scenarios(Scores scores) {
        Table.Builder table = ofMetrics("scenario");
        scores.byScenario().forEach((name, group) -> table.row(cells(name, group)));
        return table.captioned("By scenario, percent");
    }

    /** Returns text less multimodal, metric by metric. */
    static Table gaps(Scores scores) {
        Table.Builder table = Table.of("metric", "Δ");
        scores.textMinusMultimodal().forEach((metric, gap) -> table.row(metric.label(), gap));
        return table.captioned("Text less multimodal, points");
    }

    /** Returns errors by scenario (PRPF Appendix C.3). */
    static Table scenarioErrors(Scores scores) {
        Table.Builder table = Table.of("scenario", "n", "Type-Acc", "Δ", "off-scene");
        scores.byScenario()
                .forEach((name, group) -> table.row(
                        name,
                        group.n(),
                        group.get(Metric.TYPE_ACC),
                        scores.scenarios().textMinusMultimodal().get(name),
                        scores.scenarios().offScene().getOrDefault(name, 0)));
        return table.captioned("Type-Acc, its text less multimodal, and off-scene mismatches by scenario");
    }

    /** Returns the table like PRPF Table 14. */
    static Table clusters(Scores scores) {
        Table.Builder table = Table.of("cluster", "n", "Type-Acc", "Δ");
        scores.scenarios()
                .clusters()
                .forEach(cluster -> table.row(
                        cluster.name() + ": " + String.join(", ", cluster.scenarios()),
                        cluster.n(),
                        cluster.typeAcc(),
                        cluster.textMinusMultimodal()));
        return table.captioned(
                "Clusters of scenarios (PRPF Table 14): Type-Acc, and the mean over scenarios of its text less multimodal");
    }

    /** Returns the table like ProactiveMobile Table 4. */
    static Table distribution(Scores scores) {
        Table.Builder table = ofMetrics("distribution");
        scores.byDistribution().forEach((name, group) -> table.row(cells(name + " of distribution", group)));
        return table.captioned("Scenarios in and out of the training distribution, percent");
    }

    /** Returns the table like PRPF Table 6, with derived rates. */
    static Table gate(GateDecisions gate) {
        List<String> rates =
                List.of("accuracy", "recall", "specificity", "precision", "F1", "correct filtering", "routed");
        return Table.of("", "TP", "FP", "TN", "FN", rates)
                .row(
                        "gate",
                        gate.counts().truePositives(),
                        gate.counts().falsePositives(),
                        gate.counts().trueNegatives(),
                        gate.counts().falseNegatives(),
                        gate.accuracy(),
                        gate.recall(),
                        gate.specificity(),
                        gate.precision(),
                        gate.f1(),
                        gate.correctFiltering(),
                        gate.routed())
                .captioned("The gate's decisions against the labels (PRPF Table 6), percent");
    }

    /** Returns the scores by both papers' rules of the best match. */
    static Table bestMatch(Scores scores) {
        BestMatchRules rules = scores.bestMatch();
        return Table.of(
                        "rule",
                        rules.prpf().values().keySet().stream()
                                .map(Metric::label)
                                .toList())
                .row("PRPF: exact sequence, then F1", rules.prpf().values().values())
                .row(
                        "ProactiveMobile: equivalent, then F1",
                        rules.proactivemobile().values().values())
                .captioned("By the rule that chooses the answer to compare with, percent");
    }

    /** Returns a table with a row for each system; the first one is emphasised. */
    static Table systems(Map<String, Scores> systems) {
        Table.Builder table = ofMetrics("system");
        systems.forEach((name, scores) -> table.firstEmphasised(cells(name, scores.overall())));
        return table.captioned("All systems on the same samples, percent");
    }

    private static Table.Builder ofMetrics(String first) {
        return Table.of(
                first,
                "n",
                "silent",
                "malformed",
                Stream.of(Metric.values()).map(Metric::directed).toList());
    }

    private static Object[] cells(String name, Metrics group) {
        return new Object[] {
            name,
            group.n(),
            group.silent(),
            group.malformed(),
            Stream.of(Metric.values()).map(group::get).map(Shown::percent).toList()
        };
    }

    /** Returns the table like PRPF Table 11; shares are of errors in well-formed responses. */
    static Table categories(ErrorAnalysis analysis) {
        Table.Builder table = Table.of("category", "count", "%");
        analysis.categories()
                .forEach((category, count) ->
                        table.row(category.label(), count, Shown.number(analysis.share(category), "%.1f")));
        return table.emphasised("All Type-Acc errors", analysis.errors(), Shown.NONE)
                .captioned("Type-Acc errors by category; shares of the " + analysis.wellFormed() + " well-formed ones");
    }

    /** Returns the table like PRPF Table 12. */
    static Table patterns(ErrorAnalysis analysis) {
        int all = analysis.categories().getOrDefault(ErrorCategory.NON_EMPTY_MISMATCH, 0);
        Table.Builder table = Table.of("pattern", "count", "%");
        analysis.patterns().forEach((kind, count) -> table.row(kind.label(), count, Shown.share(count, all)));
        return table.captioned("Non-empty mismatches by pattern");
    }

    /** Returns the table like PRPF Table 13. */
    static Table paths(ErrorAnalysis analysis) {
        Table.Builder table = Table.of("path", "n", "Type-Acc");
        analysis.gatePaths()
                .forEach((modality, paths) -> paths.forEach((decision, path) -> {
                    boolean gated = decision.equals(ErrorAnalysis.GATED);
                    String name = modality + (gated ? ", gated (g = 0)" : ", to the reasoner (g = 1)");
                    table.row(name, path.n(), path.typeAcc());
                }));
        return table.captioned("Type-Acc by modality and gate decision, percent");
    }

    /** Returns PRPF Figure 4 as counts. */
    static Table outcomes(ErrorAnalysis analysis) {
        Table.Builder table = Table.of(
                "modality", Stream.of(Outcome.values()).map(Outcome::label).toList());
        analysis.outcomes().forEach((modality, counts) -> table.row(modality, counts.values()));
        return table.captioned("Outcome under SR scoring, samples");
    }
}
