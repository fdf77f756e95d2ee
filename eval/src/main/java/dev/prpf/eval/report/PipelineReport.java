package dev.prpf.eval.report;

import dev.prpf.base.report.ReportPage;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import dev.prpf.base.statistics.Interval;
import dev.prpf.data.Sample.Modality;
import dev.prpf.eval.score.ErrorAnalysis.Outcome;
import dev.prpf.eval.score.Metric;
import dev.prpf.eval.score.Metrics;
import dev.prpf.eval.score.Scores;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The results of a whole pipeline: systems, gates, the duration of each stage, and the first system's limitations.
 *
 * @param systems by name; the first is the report's subject
 * @param gates by name; the perceiver is called "perceiver"
 * @param seconds wall-clock time of each stage
 */
public record PipelineReport(Map<String, Scores> systems, Map<String, GateMetrics> gates, Map<String, Double> seconds) {
    private static final String PERCEIVER = "perceiver";

    /**
     * A gate on the test split, in percent.
     *
     * @param recall share of the samples needing intervention that the gate lets through
     * @param specificity share of the other samples that it stops
     */
    public record GateMetrics(double recall, double specificity) {}

    public PipelineReport {
        if (systems.isEmpty()) {
            throw new IllegalArgumentException("a pipeline report needs at least one system");
        }
    }

    /** Formats the systems' table for a terminal. */
    public String text() {
        return ScoreTables.systems(systems).toText();
    }

    /** Formats the first system's metrics with intervals, then all systems, as Markdown. */
    public String markdown() {
        Scores main = systems.values().iterator().next();
        return ScoreTables.headline(main).toMarkdown() + "\n"
                + ScoreTables.systems(systems).toMarkdown();
    }

    /**
     * Returns a page of the results; the caller adds training curves, samples and provenance.
     *
     * @param remark shown before the metrics, for example that the data are synthetic
     * @param limitations that the metrics do not show
     */
    public ReportPage page(String title, String remark, List<String> limitations) {
        Scores main = systems.values().iterator().next();
        ReportPage page = new ReportPage(title)
                .note(remark)
                .keyFacts(ScoreReport.keyFacts(main))
                .heading("Systems")
                .table(ScoreTables.systems(systems))
                .drawings(List.of(ScoreReport.rates("of each system", overall())))
                .heading("Gates")
                .table(gateTable());
        List<String> all = new ArrayList<>(Limitations.of(main));
        all.addAll(betterGates());
        all.addAll(limitations);
        page.heading("Limitations").bullets(all);
        ScoreReport.details(page, main);
        return page.heading("Time").table(timings());
    }

    /** Returns each system's metrics over all samples. */
    public Map<String, Metrics> overall() {
        Map<String, Metrics> overall = new LinkedHashMap<>();
        systems.forEach((name, scores) -> overall.put(name, scores.overall()));
        return overall;
    }

    private List<String> betterGates() {
        GateMetrics own = gates.get(PERCEIVER);
        return gates.entrySet().stream()
                .filter(other -> own != null
                        && !other.getKey().equals(PERCEIVER)
                        && other.getValue().recall() >= own.recall()
                        && other.getValue().specificity() >= own.specificity())
                .map(other -> "The gate " + other.getKey()
                        + " is as good as the perceiver or better in recall and specificity:"
                        + " on these data the perceiver adds nothing by itself.")
                .toList();
    }

    private Table gateTable() {
        Table.Builder table = Table.of("gate", "recall ↑", "specificity ↑");
        gates.forEach((name, gate) -> table.firstEmphasised(name, gate.recall(), gate.specificity()));
        return table.captioned("Gates on the test split, percent");
    }

    private Table timings() {
        double total =
                seconds.values().stream().mapToDouble(Double::doubleValue).sum();
        Table.Builder table = Table.of("stage", "seconds", "%");
        seconds.forEach((stage, wall) -> table.row(stage, decimal(wall), share(wall, total)));
        return table.emphasised("all", decimal(total), share(total, total))
                .captioned("Wall-clock time of each stage on this machine");
    }

    private static String decimal(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String share(double part, double whole) {
        return whole > 0 ? decimal(100 * part / whole) : Shown.NONE;
    }

    /** Describes a system's limitations in sentences made from its metrics. */
    static final class Limitations {
        private static final int FEWEST = 10;

        private final Scores scores;
        private final List<String> sentences = new ArrayList<>();

        private Limitations(Scores scores) {
            this.scores = scores;
        }

        /** Returns the sentences, the most severe first. */
        public static List<String> of(Scores scores) {
            Limitations limitations = new Limitations(scores);
            limitations.help(scores.overall());
            limitations.errors();
            limitations.groups();
            limitations.uncertainty();
            return List.copyOf(limitations.sentences);
        }

        private void say(String pattern, Object... values) {
            sentences.add(String.format(Locale.ROOT, pattern, values));
        }

        private void help(Metrics metrics) {
            Double success = metrics.get(Metric.SR_ACT);
            if (success == null) {
                say("No sample of this set needs intervention, so its help is not measured.");
            } else {
                say(
                        "Of %d samples that need help it gets %.1f %% right; in the others it stays silent or answers wrongly.",
                        metrics.denominator(Metric.SR_ACT), success);
            }
            Double rate = metrics.get(Metric.FTR);
            if (rate != null && rate > 0) {
                say("It interrupts in %.1f %% of the %d samples that need no help.", rate, metrics.silent());
            }
        }

        private void errors() {
            int wrongArguments = scores.errors().outcomes().values().stream()
                    .mapToInt(counts -> counts.getOrDefault(Outcome.ARGUMENT_ERROR, 0))
                    .sum();
            if (wrongArguments > 0) {
                say(
                        "In %d samples it names the right functions and fills their parameters wrongly (or in other words: only equal "
                                + "parameters count here).",
                        wrongArguments);
            }
            Metrics metrics = scores.overall();
            if (metrics.malformed() > 0) {
                say("%d of %d responses do not follow the grammar and are lost.", metrics.malformed(), metrics.n());
            }
        }

        private void groups() {
            Double text = acting(scores.byModality().get(Modality.TEXT.label()));
            Double screens = acting(scores.byModality().get(Modality.MULTIMODAL.label()));
            if (text != null && screens != null) {
                say(
                        "When help is needed it is right in %.1f %% of text samples and %.1f %% of multimodal samples.",
                        text, screens);
            }
            scores.byScenario().entrySet().stream()
                    .filter(scenario -> scenario.getValue().denominator(Metric.SR_ACT) >= FEWEST)
                    .min(Comparator.comparing(scenario -> acting(scenario.getValue())))
                    .ifPresent(weakest -> say(
                            "Weakest scenario of those with at least %d samples that need help: %s, right in %.1f %% of %d.",
                            FEWEST,
                            weakest.getKey(),
                            Objects.requireNonNull(acting(weakest.getValue())),
                            weakest.getValue().denominator(Metric.SR_ACT)));
        }

        private void uncertainty() {
            Interval interval = scores.overall().intervals().get(Metric.SR);
            if (interval != null) {
                say(
                        "The SR of %d samples is uncertain by about ±%.1f points: smaller differences are not significant.",
                        scores.samples().size(), (interval.high() - interval.low()) / 2);
            }
        }

        private static @Nullable Double acting(@Nullable Metrics group) {
            return group == null ? null : group.get(Metric.SR_ACT);
        }
    }
}
