package dev.prpf.par.prompt;

import dev.prpf.base.error.UsageException;
import dev.prpf.data.Frame;

/** What a screenshot says, read from the picture; until the reasoner can see, this stands in its prompt. */
@FunctionalInterface
public interface ScreenTexts {
    /** The screenshot's text in reading order. */
    String text(Frame.Screenshot screenshot);

    /** For data without pictures: a screenshot is refused. */
    static ScreenTexts none() {
        return screenshot -> {
            throw new UsageException("picture " + screenshot.picture()
                    + " must be read for the prompt, but no folder to find it in was given; name it with --images DIR");
        };
    }
}
