package dev.prpf.par.sets;

import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScreenTrajectory;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.par.prompt.ChatMl;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ReasoningMode;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseWriter;
import dev.prpf.par.teacher.RationaleRequest;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.Tokenizer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The prompt of a sample as text, and the target that is learned from it.
 *
 * @param sample as the prompt shows it
 * @param target null is silence
 * @param candidates whose functions the prompt shows
 * @param user the user turn
 * @param renderer that wrote it
 */
record SamplePrompt(
        Sample sample,
        @Nullable Recommendation target,
        CandidatePool candidates,
        List<Piece> user,
        PromptRenderer renderer) {
    /** As tokens, with all valid answers of the sample. */
    PromptExample example(Tokenizer tokenizer) {
        return new PromptExample(
                sample.id(),
                tokenizer.encode(ChatMl.prompt(renderer.system(), user)),
                sample.validSequences(),
                ResponseForm.of(renderer.settings().reasoning(), sample.modality()),
                candidates.functions());
    }

    /** For the rationale of the response; null where it has none: silence has none (PRPF A.3), nor has {@link ReasoningMode#NONE}. */
    @Nullable
    RationaleRequest request() {
        return target == null || renderer.settings().reasoning() == ReasoningMode.NONE
                ? null
                : new RationaleRequest(sample, target, candidates);
    }

    /** The response without a rationale. */
    ParResponse.Parsed plain() {
        return new ParResponse.Parsed(null, null, null, target == null ? List.of() : List.of(target));
    }

    /**
     * As a line of an SFT set.
     *
     * @param teacher who wrote the response's rationale, or null
     * @param wording of the prompts ({@link SftRecord#wordingOf})
     */
    SftRecord record(ParResponse.Parsed response, @Nullable String teacher, String wording) {
        return new SftRecord(
                sample.id(),
                target != null,
                sample.modality().label(),
                renderer.settings(),
                wording,
                teacher,
                candidates.functions().stream().map(FunctionSpec::name).toList(),
                renderer.system(),
                user,
                ResponseWriter.pieces(response),
                sample.trajectory() instanceof ScreenTrajectory screens ? screens.screenshots() : List.of());
    }
}
