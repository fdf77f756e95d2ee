package dev.prpf.data.synth;

import dev.prpf.data.Sample;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A generated sample with facts known by construction.
 *
 * @param sample the sample itself
 * @param temper the kind of moment
 * @param relevantCharacters characters of the decisive sentences
 * @param distractorCharacters characters of all other sentences
 * @param screens its screens, not yet drawn; empty for a text sample
 */
public record SynthSample(
        Sample sample, Temper temper, int relevantCharacters, int distractorCharacters, List<Screen> screens) {
    public SynthSample {
        screens = List.copyOf(screens);
    }

    /**
     * The content of a screenshot.
     *
     * @param path relative to the image root, as in the sample
     * @param sentence the step's text, which the image must show
     * @param whole names in the sentence that must not be broken across lines
     * @param title the app's title
     * @param filler other texts of the same screen, at least one
     * @param time for the status bar
     * @param seed for the layout
     * @param cue the look that decides the answer instead of the sentence; else null
     */
    public record Screen(
            String path,
            String sentence,
            List<String> whole,
            String title,
            List<String> filler,
            String time,
            long seed,
            @Nullable CueScreen cue) {
        public Screen {
            whole = List.copyOf(whole);
            filler = List.copyOf(filler);
        }
    }
}
