package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.par.prompt.PromptRenderer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Writes the prompts that training shows of labelled samples. */
public final class SamplePrompts {
    private final Candidates candidates;
    private final PromptRenderer renderer;

    public SamplePrompts(
            FunctionPool pool, ScenarioCatalog catalog, PromptRenderer renderer, CandidateSettings settings) {
        candidates = new Candidates(pool, catalog, settings);
        this.renderer = renderer;
    }

    PromptRenderer renderer() {
        return renderer;
    }

    /** The prompt of a sample with its own target, the first valid answer; else as {@link #of(PerceivedSample, Recommendation)}. */
    @Nullable
    SamplePrompt of(PerceivedSample perceived) {
        return of(perceived, UnaryOperator.identity());
    }

    /** The same with a change of the candidates before they are written. */
    @Nullable
    SamplePrompt of(PerceivedSample perceived, UnaryOperator<CandidatePool> change) {
        require(perceived);
        return of(perceived, perceived.sample().target(), change);
    }

    /**
     * The prompt of a sample.
     *
     * @param target that must be among the candidates; null is silence
     * @return null where the target is not among the candidates and such samples are left out
     * @throws PrpfException 65 for an unlabelled sample or a target that calls what pool or scenarios lack; 78 if the prompt shows predicted
     *     scenes but no perceiver ran
     */
    @Nullable
    SamplePrompt of(PerceivedSample perceived, @Nullable Recommendation target) {
        require(perceived);
        return of(perceived, target, UnaryOperator.identity());
    }

    private @Nullable SamplePrompt of(
            PerceivedSample perceived, @Nullable Recommendation target, UnaryOperator<CandidatePool> change) {
        Candidates.Shown shown = candidates.of(perceived, target);
        if (shown == null) {
            return null;
        }
        Sample sample = renderer.shown(perceived.sample());
        CandidatePool pool = change.apply(shown.pool());
        return new SamplePrompt(sample, target, pool, renderer.user(sample, shown.perception(), pool), renderer);
    }

    private void require(PerceivedSample perceived) {
        if (!perceived.sample().labelled()) {
            throw new InvalidDataException("sample " + perceived.sample().id()
                    + " is unlabelled, so there is nothing to learn from it; training takes samples with answers");
        }
        if (renderer.settings().scenes() && perceived.perception() == null) {
            throw new InvalidConfigurationException("prompt.scenes = true, but no perceiver ran over the samples;"
                    + " name one with --mpp or set prompt.scenes to false");
        }
    }
}
