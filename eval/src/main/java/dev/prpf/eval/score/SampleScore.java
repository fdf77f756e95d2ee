package dev.prpf.eval.score;

import dev.prpf.data.Modality;
import dev.prpf.data.match.BestMatch;
import java.io.Serializable;
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
 * @param match the answer it is measured against, by PRPF's rule
 * @param judgedMatch the same by ProactiveMobile's rule, which asks the judge first
 * @param success whether some valid answer is functionally equivalent (eq. 29); false where the judge abstained, which SR does not count
 * @param abstained whether the judge came to no decision: it found no answer equivalent and abstained on one
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

    /** Whether the judge was asked: the prediction acts, and some valid answer does. */
    public boolean judged() {
        return acts() && wantsIntervention;
    }

    public boolean malformed() {
        return predicted == null;
    }

    /** Whether the prediction acts: at least one call, well formed. */
    public boolean acts() {
        return predicted != null && !predicted.isEmpty();
    }

    /** The same, measured against the answer that ProactiveMobile's rule chooses. */
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
