package dev.prpf.par.prompt;

import dev.prpf.base.config.EnumName;
import dev.prpf.base.config.Rule;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import java.io.Serializable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The form of prompts and responses; the {@code prompt:} section of configurations. Every key enters the prompt hash.
 *
 * @param layout order of the parts: that of PRPF Appendix D (paper), common parts first for prefix caches (prefix), or ProactiveMobile's
 * @param wording fixed text: full in Chinese, english (shorter), ProactiveMobile's, or brief: only a marker before each field, for small new models
 * @param pool form of a function: full details; name, typed parameters and description (signature); name and required parameters (compact); names
 * @param scenes whether the prompt lists the predicted scenarios
 * @param reasoning parts of a response before its calls: none; full: PRPF's summary and thinking; others: ProactiveMobile's, with that wording or brief
 * @param maxScreenshots most screenshots in a prompt, the last ones; null for all (PRPF §3.4: "the complete GUI screenshot sequence")
 * @param maxVisualTokens maximum tokens of a screenshot, which is scaled down to fit; null for the limit of the model's image processor
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

    /** The form of the functions in a prompt. */
    public enum PoolRendering {
        /** Description, and each parameter with type, description, whether it is required, and its values. */
        FULL,
        /** Name, parameters with type and enumeration ({@code ?} after the optional ones), description. */
        SIGNATURE,
        /** Name and required parameters. */
        COMPACT,
        /** The name of the function only. */
        NAMES
    }

    /** The order of a prompt's parts. */
    public enum PromptLayout {
        /** PRPF Appendix D: trace, profile, phone, world, predicted scenes, functions, instructions. */
        PAPER,
        /** Common parts first, for servers' prefix caches: instructions, functions in catalogue order, then the sample. */
        PREFIX,
        /** ProactiveMobile Appendix F: instructions, profile, phone, world, trace, functions, a closing sentence. */
        PROACTIVEMOBILE
    }

    /** The fixed text of a prompt, without the sample. */
    public enum PromptWording {
        /** System message, task, XML-tagged context, output instructions; in Chinese. */
        FULL,
        /** FULL in English and shorter, for English data; omits the blank parts of the sample's context. */
        ENGLISH,
        /** ProactiveMobile's prompt for training and inference, in Chinese; fully described functions are written as in the data. */
        PROACTIVEMOBILE,
        /** Only a marker before each field: for small new models. */
        BRIEF
    }

    /** The form of a screenshot in a prompt. */
    public enum ScreenshotForm {
        /** The text recognized on it. */
        OCR,
        /** The image itself, for models with vision. */
        PIXELS,
        /** The image, followed by the text recognized on it. */
        BOTH;

        /** Returns whether the model needs vision. */
        public boolean showsImages() {
            return this != OCR;
        }

        /** Returns whether the text is recognized. */
        public boolean worded() {
            return this != PIXELS;
        }
    }
}
