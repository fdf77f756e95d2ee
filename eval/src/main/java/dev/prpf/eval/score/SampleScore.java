package dev.prpf.eval.score;

import dev.prpf.data.Modality;
import dev.prpf.data.match.BestMatch;
import dev.prpf.eval.judge.SampleVerdict;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How one prediction did.
 *
 * @param id the sample's id
 * @param modality text or multimodal
 * @param difficulty 1 to 3
 * @param scenario the sample's scenario, or null where no catalogue was given
 * @param gated whether the gate kept the sample from the reasoner (g = 0)
 * @param wantsIntervention whether some valid answer acts
 * @param predicted the predicted function names in order; empty is silence; null is a malformed response
 * @param match the answer it is measured against
 * @param success whether some valid answer is functionally equivalent (eq. 29); false where the judge abstained, which SR does not count
 * @param verdict the judge's; null where none was asked: prediction or every answer is silence, or the response is malformed
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
        boolean success,
        @Nullable SampleVerdict verdict) {

    /** Whether the judge came to no decision. */
    public boolean abstained() {
        return verdict != null && verdict.abstained();
    }

    public boolean malformed() {
        return predicted == null;
    }

    /** Whether the prediction acts: at least one call, well formed. */
    public boolean acts() {
        return predicted != null && !predicted.isEmpty();
    }
}
