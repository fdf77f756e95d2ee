package dev.prpf.eval.report;

import dev.prpf.data.Modality;
import dev.prpf.eval.score.ErrorAnalysis;
import dev.prpf.eval.score.Figure;
import dev.prpf.eval.score.Metrics;
import dev.prpf.eval.score.Outcome;
import dev.prpf.eval.score.Scores;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a system cannot do, said from its figures. */
public final class Limits {
    private static final int FEWEST = 10;

    private final Scores scores;
    private final List<String> sentences = new ArrayList<>();

    private Limits(Scores scores) {
        this.scores = scores;
    }

    /** Sentences, the gravest first. */
    public static List<String> of(Scores scores) {
        Limits limits = new Limits(scores);
        limits.help();
        limits.interruptions();
        limits.arguments();
        limits.malformed();
        limits.modalities();
        limits.scenarios();
        limits.uncertainty();
        return List.copyOf(limits.sentences);
    }

    private void say(String pattern, Object... values) {
        sentences.add(String.format(Locale.ROOT, pattern, values));
    }

    private void help() {
        Metrics metrics = scores.overall().metrics();
        Double success = metrics.get(Figure.SR_ACT);
        if (success == null) {
            say("No sample of this set wants intervention: nothing is known of how it helps.");
            return;
        }
        int wanting = ScoreTables.denominator(metrics, Figure.SR_ACT);
        say(
                "Of %d moments that want help it gets %.1f %% right; the others it passes over in silence or answers wrongly.",
                wanting, success);
    }

    private void interruptions() {
        Metrics metrics = scores.overall().metrics();
        Double rate = metrics.get(Figure.FTR);
        if (rate != null && rate > 0) {
            say("It interrupts in %.1f %% of the %d moments in which nobody wants help.", rate, metrics.silent());
        }
    }

    private void arguments() {
        int wrongArguments = count(Outcome.ARGUMENT_ERROR);
        if (wrongArguments > 0) {
            say(
                    "In %d samples it names the right functions and fills their parameters wrongly (or in other words: only equal "
                            + "parameters count here).",
                    wrongArguments);
        }
    }

    private void malformed() {
        int malformed = scores.overall().metrics().malformed();
        if (malformed > 0) {
            say(
                    "%d of %d responses do not follow the grammar and are lost.",
                    malformed, scores.overall().metrics().n());
        }
    }

    private void modalities() {
        Double text = acting(scores.byModality().get(Modality.TEXT.label()));
        Double screens = acting(scores.byModality().get(Modality.MULTIMODAL.label()));
        if (text != null && screens != null) {
            say(
                    "Where help is wanted it is right in %.1f %% of text samples and %.1f %% of screen samples.",
                    text, screens);
        }
    }

    private void scenarios() {
        scores.byScenario().entrySet().stream()
                .filter(entry -> acting(entry.getValue()) != null
                        && ScoreTables.denominator(entry.getValue().metrics(), Figure.SR_ACT) >= FEWEST)
                .min(Comparator.comparing((Map.Entry<String, Scores.Group> entry) -> orZero(acting(entry.getValue()))))
                .ifPresent(weakest -> say(
                        "Weakest scenario of those with %d samples or more that want help: %s, right in %.1f %% of %d.",
                        FEWEST,
                        weakest.getKey(),
                        orZero(acting(weakest.getValue())),
                        ScoreTables.denominator(weakest.getValue().metrics(), Figure.SR_ACT)));
    }

    private void uncertainty() {
        var interval = scores.overall().intervals().get(Figure.SR);
        if (interval != null) {
            say(
                    "The SR of %d samples is uncertain by about ±%.1f points: smaller differences mean nothing.",
                    scores.overall().metrics().n(), (interval.high() - interval.low()) / 2);
        }
    }

    private int count(Outcome outcome) {
        return ErrorAnalysis.of(scores.samples()).outcomes().values().stream()
                .mapToInt(counts -> counts.getOrDefault(outcome, 0))
                .sum();
    }

    private static @Nullable Double acting(Scores.@Nullable Group group) {
        return group == null ? null : group.metrics().get(Figure.SR_ACT);
    }

    private static double orZero(@Nullable Double value) {
        return value == null ? 0 : value;
    }
}
