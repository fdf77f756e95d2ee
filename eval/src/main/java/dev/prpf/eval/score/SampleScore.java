package dev.prpf.eval.score;

import dev.prpf.data.BestMatch;
import dev.prpf.data.Sample.Modality;
import dev.prpf.eval.score.Scorer.ClusterBy;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The score of one prediction.
 *
 * @param id the sample's id
 * @param modality text or multimodal
 * @param difficulty 1 to 3
 * @param scenario the sample's scenario, or null without a catalogue
 * @param gated whether the gate stayed silent (g = 0)
 * @param wantsIntervention whether a valid answer has calls
 * @param predicted the predicted function names in order; empty is silence; null is a malformed response
 * @param match the best match by PRPF's rule
 * @param judgedMatch the best match by ProactiveMobile's rule, which prefers equivalent answers
 * @param success whether a valid answer is functionally equivalent (eq. 29); false if the judge abstained, which SR does not
 *     count
 * @param abstained whether the judge found no answer equivalent and abstained on one
 * @param source equal for samples that share a source ({@link ClusterBy})
 */
public record SampleScore(
        String id,
        Modality modality,
        int difficulty,
        @Nullable String scenario,
        boolean gated,
        boolean wantsIntervention,
        @Nullable List<String> predicted,
        BestMatch match,
        BestMatch judgedMatch,
        boolean success,
        boolean abstained,
        long source)
        implements Serializable {

    /** Returns whether the judge was needed: the prediction and a valid answer have calls. */
    public boolean judged() {
        return acts() && wantsIntervention;
    }

    public boolean malformed() {
        return predicted == null;
    }

    /** Returns whether the prediction is well formed and has calls. */
    public boolean acts() {
        return predicted != null && !predicted.isEmpty();
    }

    /** Returns the score with the best match of ProactiveMobile's rule. */
    SampleScore byProactiveMobile() {
        return new SampleScore(
                id,
                modality,
                difficulty,
                scenario,
                gated,
                wantsIntervention,
                predicted,
                judgedMatch,
                judgedMatch,
                success,
                abstained,
                source);
    }
}
