package dev.prpf.par.prompt;

import dev.prpf.base.config.EnumName;
import dev.prpf.base.config.Rule;
import dev.prpf.par.response.ReasoningMode;
import java.io.Serializable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How prompts and responses are written; the {@code prompt:} section of configurations. Every key enters the prompt hash.
 *
 * @param layout order of the parts
 * @param wording with or without prose
 * @param pool how functions are described
 * @param scenes whether the predicted scenes stand in the prompt
 * @param reasoning what responses hold beside the calls; the single-stage formats go with the wordings brief and proactivemobile only
 * @param maxScreenshots of more screenshots the prompt shows the last ones; null for all (PRPF §3.4: "the complete GUI screenshot sequence")
 */
public record PromptSettings(
        PromptLayout layout,
        PromptWording wording,
        PoolRendering pool,
        boolean scenes,
        ReasoningMode reasoning,
        @Nullable Integer maxScreenshots)
        implements Serializable {
    public PromptSettings {
        Objects.requireNonNull(layout, "layout");
        Objects.requireNonNull(wording, "wording");
        Objects.requireNonNull(pool, "pool");
        Objects.requireNonNull(reasoning, "reasoning");
        boolean single = reasoning.singleStage();
        boolean fits = wording == PromptWording.BRIEF || single == (wording == PromptWording.PROACTIVEMOBILE);
        Rule.require(
                fits,
                "wording",
                EnumName.of(wording),
                "brief or " + (single ? "proactivemobile" : "another than " + "proactivemobile")
                        + " where reasoning is " + EnumName.of(reasoning));
        Rule.require(
                maxScreenshots == null || maxScreenshots > 0, "max-screenshots", maxScreenshots, "at least 1 or null");
    }

    /** PRPF Appendix D. */
    public static PromptSettings paper() {
        return new PromptSettings(
                PromptLayout.PAPER, PromptWording.FULL, PoolRendering.FULL, true, ReasoningMode.FULL, null);
    }
}
