package dev.prpf.par.prompt;

import dev.prpf.data.Frame;
import dev.prpf.data.ScreenTrajectory;
import dev.prpf.data.TextTrajectory;
import dev.prpf.data.Trajectory;

/** The trajectory as text: one numbered block a step; a screenshot enters as the text read from it. */
final class TraceText {
    private final boolean full;
    private final ScreenTexts screens;

    TraceText(PromptWording wording, ScreenTexts screens) {
        this.full = wording != PromptWording.BRIEF;
        this.screens = screens;
    }

    void add(PieceList pieces, Trajectory trajectory) {
        int number = 0;
        if (trajectory instanceof TextTrajectory text) {
            for (String step : text.steps()) {
                step(pieces, PromptTags.STEP, ++number, step);
            }
        } else if (trajectory instanceof ScreenTrajectory screen) {
            for (Frame frame : screen.frames()) {
                if (frame instanceof Frame.Screenshot shot) {
                    step(pieces, PromptTags.SCREEN, ++number, screens.text(shot));
                } else if (frame instanceof Frame.Caption caption) {
                    step(pieces, PromptTags.STEP, ++number, caption.text());
                }
            }
        }
    }

    private void step(PieceList pieces, String tag, int number, String text) {
        pieces.control(PromptTags.open(tag));
        if (full) {
            pieces.control(number + "\n").plain(text).control("\n" + PromptTags.close(tag) + "\n");
        } else {
            pieces.plain(text);
        }
    }
}
