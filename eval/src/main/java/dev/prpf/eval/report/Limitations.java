package dev.prpf.eval.report;

import dev.prpf.base.statistics.Interval;
import dev.prpf.data.Sample.Modality;
import dev.prpf.eval.score.ErrorAnalysis.Outcome;
import dev.prpf.eval.score.Metric;
import dev.prpf.eval.score.Metrics;
import dev.prpf.eval.score.Scores;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Describes a system's limitations in sentences made from its metrics. */
final class Limitations {
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
