package dev.prpf.par.prompt;

import dev.prpf.base.config.EnumName;
import dev.prpf.base.config.Rule;
import dev.prpf.par.response.ReasoningMode;
import java.io.Serializable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The form of prompts and responses; the {@code prompt:} section of configurations. Every key enters the prompt hash.
 *
 * @param layout order of the parts
 * @param wording with or without prose
 * @param pool form of the functions
 * @param scenes whether the prompt has the predicted scenes
 * @param reasoning the responses' parts before the calls; the single-stage formats require the wordings brief and proactivemobile
 * @param maxScreenshots most screenshots in a prompt, the last ones; null for all (PRPF §3.4: "the complete GUI screenshot sequence")
 * @param screenshots form of the screenshots
 * @param maxVisualTokens of a screenshot, which is scaled down to fit; null for the limit of the model's image processor
 */
public record PromptSettings(
        PromptLayout layout,
        PromptWording wording,
        PoolRendering pool,
        boolean scenes,
        ReasoningMode reasoning,
        @Nullable Integer maxScreenshots,
        ScreenshotForm screenshots,
        @Nullable Integer maxVisualTokens)
        implements Serializable {
    public PromptSettings {
        Objects.requireNonNull(layout, "layout");
        Objects.requireNonNull(wording, "wording");
        Objects.requireNonNull(pool, "pool");
        Objects.requireNonNull(reasoning, "reasoning");
        Objects.requireNonNull(screenshots, "screenshots");
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
        Rule.require(
                maxVisualTokens == null || maxVisualTokens > 0,
                "max-visual-tokens",
                maxVisualTokens,
                "at least 1 or null");
        Rule.require(
                maxVisualTokens == null || screenshots.showsImages(),
                "max-visual-tokens",
                maxVisualTokens,
                "null where screenshots is ocr: text takes no visual tokens");
    }

    /** Creates settings with screenshots as text. */
    public PromptSettings(
            PromptLayout layout,
            PromptWording wording,
            PoolRendering pool,
            boolean scenes,
            ReasoningMode reasoning,
            @Nullable Integer maxScreenshots) {
        this(layout, wording, pool, scenes, reasoning, maxScreenshots, ScreenshotForm.OCR, null);
    }

    /** Returns these settings with screenshots in another form. */
    public PromptSettings with(ScreenshotForm screenshots, @Nullable Integer maxVisualTokens) {
        return new PromptSettings(
                layout, wording, pool, scenes, reasoning, maxScreenshots, screenshots, maxVisualTokens);
    }

    /** Returns the settings of PRPF Appendix D. */
    public static PromptSettings paper() {
        return new PromptSettings(
                PromptLayout.PAPER, PromptWording.FULL, PoolRendering.FULL, true, ReasoningMode.FULL, null);
    }
}
