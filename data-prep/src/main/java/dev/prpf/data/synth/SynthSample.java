package dev.prpf.data.synth;

import dev.prpf.data.Sample;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A made sample with what is known of it by construction.
 *
 * @param sample the sample as a tool reads it
 * @param temper the kind of moment
 * @param relevantCharacters characters of the sentences that decide the answer
 * @param distractorCharacters characters of all other sentences
 * @param screens its images, not yet drawn; empty for a text sample
 */
public record SynthSample(
        Sample sample, Temper temper, int relevantCharacters, int distractorCharacters, List<Screen> screens) {
    public SynthSample {
        screens = List.copyOf(screens);
    }

    /**
     * What an image is to show.
     *
     * @param path relative to the image root, as the sample names it
     * @param sentence the step's text, which the image must carry
     * @param whole names in the sentence that no line break should cut
     * @param title of the app
     * @param filler other texts of the same screen, at least one
     * @param time for the status bar
     * @param seed for the layout
     * @param cue the look that decides the answer, in place of the sentence; null where the sentence does
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
