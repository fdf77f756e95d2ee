package dev.prpf.par.prompt;

import dev.prpf.base.error.UsageException;
import dev.prpf.data.TraceStep;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.data.encode.ImageFolder;

/** Reads the text of screenshots for prompts, and knows where they lie for models that look at them. */
@FunctionalInterface
public interface ScreenTexts {
    /** The screenshot's text in reading order. */
    String text(TraceStep.Screenshot screenshot);

    /** What reading cost so far, all screenshots together. */
    default EncodingCost cost() {
        return EncodingCost.NONE;
    }

    /** Where the screenshots lie. */
    default ImageFolder images() {
        return new ImageFolder(null);
    }

    /** For data without screenshots: one is refused. */
    static ScreenTexts none() {
        return screenshot -> {
            throw new UsageException("screenshot " + screenshot
                    + " must be read for the prompt, but no folder to find it in was given; name it with --images DIR");
        };
    }
}
