package dev.prpf.par.prompt;

import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.encode.SampleEncoders;

/** Reads the text of screenshots for prompts, and knows their folder for models with vision. */
@FunctionalInterface
public interface ScreenTexts {
    /** Returns the screenshot's text in reading order. */
    String text(TraceStep.Screenshot screenshot);

    /** Returns the cost of all texts read so far. */
    default EncodingCost cost() {
        return EncodingCost.NONE;
    }

    default ImageFolder images() {
        return new ImageFolder(null);
    }

    /** Returns the texts that the first of these encoders reads, each once. */
    static ScreenTexts of(SampleEncoders encoders) {
        return new ScreenTexts() {
            @Override
            public String text(TraceStep.Screenshot screenshot) {
                return encoders.first().screenText(screenshot);
            }

            @Override
            public EncodingCost cost() {
                return encoders.first().cost();
            }

            @Override
            public ImageFolder images() {
                return new ImageFolder(encoders.settings().images());
            }
        };
    }

    /** Returns texts for data without screenshots: refuses each screenshot. */
    static ScreenTexts none() {
        return screenshot -> {
            throw new UsageException("screenshot " + screenshot
                    + " must be read for the prompt, but no folder to find it in was given; name it with --images DIR");
        };
    }
}
