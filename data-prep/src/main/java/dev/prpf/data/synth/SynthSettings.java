package dev.prpf.data.synth;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.base.config.Defaults;
import dev.prpf.data.Language;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a generated data set. Equal settings give equal bytes.
 *
 * @param seed the root of all choices
 * @param count number of samples
 * @param split {@code train}, {@code test} or another name, the prefix of ids and file names; only {@code test} has the
 *     out-of-distribution scenarios
 * @param language the language of all texts
 * @param unseenNames whether {@code test} has names, places and values of its own, which no other split has
 * @param multimodalShare share of samples with screenshots, 0 to 1
 * @param silentShare share of samples with silence as the only answer, 0 to 1
 * @param distractors range of distractor characters per relevant character
 * @param screens range of screenshots per multimodal sample
 * @param difficulty weights of the three levels
 * @param visualCues samples with an answer that only a screenshot's look decides; null for none
 */
@Defaults("/configs/synth.yaml")
public record SynthSettings(
        long seed,
        int count,
        String split,
        Language language,
        boolean unseenNames,
        double multimodalShare,
        double silentShare,
        Range distractors,
        Range screens,
        DifficultyMix difficulty,
        @Nullable VisualCues visualCues) {
    private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}_-][\\p{L}\\p{N}._-]*");

    /** An inclusive range of integers. */
    public record Range(int min, int max) {
        public Range {
            if (min < 1 || max < min) {
                throw new IllegalArgumentException("range " + min + " to " + max + ", must be 1 <= min <= max");
            }
        }
    }

    /** Weights of difficulty 1, 2 and 3. */
    public record DifficultyMix(double easy, double medium, double hard) {
        public DifficultyMix {
            if (Math.min(easy, Math.min(medium, hard)) < 0 || !(easy + medium + hard > 0)) {
                throw new IllegalArgumentException("difficulty weights " + easy + ", " + medium + ", " + hard
                        + ", none may be negative and one must be above 0");
            }
        }

        double[] weights() {
            return new double[] {easy, medium, hard};
        }
    }

    public SynthSettings {
        require(count >= 1, "count", count, "at least 1");
        String plain = "a plain name: ids and images' file names begin with it";
        require(NAME.matcher(split).matches(), "split", "\"" + split + "\"", plain);
        require(multimodalShare >= 0 && multimodalShare <= 1, "multimodal-share", multimodalShare, "between 0 and 1");
        require(silentShare >= 0 && silentShare <= 1, "silent-share", silentShare, "between 0 and 1");
    }

    /** Returns the defaults, which the quickstart and the published numbers use. */
    public static SynthSettings defaults(long seed, int count, String split) {
        return new SynthSettings(
                seed,
                count,
                split,
                Language.ZH,
                false,
                0.1,
                1.0 / 3,
                new Range(5, 20),
                new Range(3, 5),
                new DifficultyMix(0.25, 0.40, 0.35),
                null);
    }

    /** Returns whether a sample may have a screenshot. */
    public boolean draws() {
        return multimodalShare > 0 || (visualCues != null && visualCues.share() > 0);
    }

    boolean hasOutOfDistribution() {
        return split.equals("test");
    }

    SynthLibrary.Names names() {
        return !unseenNames
                ? SynthLibrary.Names.ALL
                : split.equals("test") ? SynthLibrary.Names.HELD_OUT : SynthLibrary.Names.OTHERS;
    }

    /**
     * The samples with one screenshot in which only a colour, an icon or a position decides the answer, not a text.
     *
     * @param share share of all samples, 0 to 1
     * @param width width of these screenshots in pixels
     * @param height height of these screenshots in pixels
     */
    public record VisualCues(double share, int width, int height) {
        private static final int MAX_SIDE = 4000;

        public VisualCues {
            require(share >= 0 && share <= 1, "share", share, "between 0 and 1");
            require(width >= 96 && width <= MAX_SIDE, "width", width, "96 to " + MAX_SIDE + " pixels");
            require(height >= 160 && height <= MAX_SIDE, "height", height, "160 to " + MAX_SIDE + " pixels");
        }

        /** Returns settings with screenshots of 50 tokens for a model with patches of 16 pixels and 4 merged patches per token. */
        public static VisualCues small(double share) {
            return new VisualCues(share, 160, 320);
        }
    }
}
