package dev.prpf.data.synth;

import dev.prpf.data.Sample;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A generated sample with facts known by construction.
 *
 * @param sample the sample itself
 * @param temper the kind of situation
 * @param relevantCharacters characters of the decisive sentences
 * @param distractorCharacters characters of all other sentences
 * @param screens its screens, not yet drawn; empty for a text sample
 */
public record SynthSample(
        Sample sample, Temper temper, int relevantCharacters, int distractorCharacters, List<Screen> screens) {
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
            @Nullable CueScreen cue) {}

    /**
     * The look that decides a sample's answer.
     *
     * @param kind the kind of look
     * @param options number of items that could be highlighted
     * @param lit index of the highlighted item, from 0; -1 for none
     * @param width of the screen in pixels
     * @param height of the screen in pixels
     */
    public record CueScreen(Kind kind, int options, int lit, int width, int height) {
        /** The way in which the highlighted item of a screen differs from the others. */
        public enum Kind {
            /** The switch that is on. */
            SWITCH,
            /** The icon that carries the red badge. */
            BADGE,
            /** The row that is marked. */
            HIGHLIGHT,
            /** The colour of the one sign in the middle. */
            COLOUR
        }
    }

    /** The situation in a generated sample, which decides whether help is due. */
    public enum Temper {
        /** A need is open, so the answer acts. */
        OPEN_NEED,
        /** The sample shows no need. */
        UNEVENTFUL,
        /** The user meets the need later in the trace. */
        ALREADY_DONE,
        /** The time of the need has passed. */
        WRONG_TIME,
        /** The profile states a wish not to be helped with this topic. */
        AGAINST_WISH;

        /** Returns the name used in results: {@code open_need}. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        public boolean acts() {
            return this == OPEN_NEED;
        }
    }
}
