package dev.prpf.par.prompt;

import dev.prpf.par.response.ReasoningMode;

/**
 * How prompts and responses are written; the {@code prompt:} section of configurations. Every key enters the prompt hash.
 *
 * @param layout order of the parts
 * @param wording with or without prose
 * @param pool what is said of each function
 * @param scenes whether the predicted scenes stand in the prompt
 * @param reasoning whether responses carry their reasoning
 */
public record PromptSettings(
        PromptLayout layout, PromptWording wording, PoolRendering pool, boolean scenes, ReasoningMode reasoning) {
    /** PRPF Appendix D. */
    public static PromptSettings paper() {
        return new PromptSettings(PromptLayout.PAPER, PromptWording.FULL, PoolRendering.FULL, true, ReasoningMode.FULL);
    }
}
