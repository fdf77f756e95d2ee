package dev.prpf.eval.score;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.mpp.gate.ConfusionMatrix;
import java.util.List;
import org.apache.commons.lang3.ArrayUtils;
import org.jspecify.annotations.Nullable;

/**
 * The gate's metrics from the predictions' routes (PRPF Table 6, eq. 23-26 and 32), in percent; null without samples. Positive
 * means that help is due. A malformed perceiver answer counts as the wrong decision.
 *
 * @param accuracy eq. 24
 * @param recall eq. 23
 * @param specificity eq. 23
 * @param precision eq. 25
 * @param f1 eq. 26
 * @param correctFiltering share of silenced samples that want silence (81.89 in the paper)
 * @param routed r of eq. 32: share of all samples that reach the reasoner
 */
public record GateDecisions(
        @JsonUnwrapped ConfusionMatrix counts,
        @Nullable Double accuracy,
        @Nullable Double recall,
        @Nullable Double specificity,
        @Nullable Double precision,
        @Nullable Double f1,
        @Nullable Double correctFiltering,
        @Nullable Double routed) {

    static GateDecisions of(List<SampleScore> scores) {
        ConfusionMatrix counts = ConfusionMatrix.of(
                booleans(scores.stream().map(GateDecisions::triggered).toList()),
                booleans(scores.stream().map(SampleScore::wantsIntervention).toList()));
        long routed = scores.stream().filter(score -> !score.gated()).count();
        return of(counts, scores.isEmpty() ? null : (Double) (100.0 * routed / scores.size()));
    }

    private static boolean triggered(SampleScore score) {
        boolean undecided = score.gated() && score.malformed();
        return undecided ? !score.wantsIntervention() : !score.gated();
    }

    /** Returns the metrics of a confusion matrix. */
    public static GateDecisions of(ConfusionMatrix counts) {
        return of(counts, counts.triggerRate());
    }

    private static GateDecisions of(ConfusionMatrix counts, @Nullable Double routed) {
        return new GateDecisions(
                counts,
                counts.accuracy(),
                counts.recall(),
                counts.specificity(),
                counts.precision(),
                counts.f1(),
                counts.correctFiltering(),
                routed);
    }

    private static boolean[] booleans(List<Boolean> values) {
        return ArrayUtils.toPrimitive(values.toArray(Boolean[]::new));
    }
}
