package dev.prpf.mpp.network.definition;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.data.encode.EncoderSettings.ContextUnit;

/**
 * The dimensions of the perceiver's network.
 *
 * @param inputs dimensions of a sample's vectors
 * @param window limits of the trajectory
 * @param transformer the layers
 * @param channels which of the two channels are on
 * @param scenarios S, number of scenario outputs
 */
public record NetworkShape(Inputs inputs, Window window, Transformer transformer, Channels channels, int scenarios) {
    /** Vectors of the context: profile, phone, world. */
    public static final int CONTEXT = 3;

    /** The value of a limit that never applies. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    private static final int SMALLEST_BATCH_STEPS = 16;

    public NetworkShape {
        require(scenarios >= 1, "scenarios", scenarios, "at least 1");
    }

    /**
     * Dimensions of a sample's vectors.
     *
     * @param width E, length of an encoder's vector
     * @param sentences maximum number of sentence vectors of a context text, pooled by attention; 0 for one vector per text
     * @param sharedSteps whether screenshots share the texts' projection
     */
    public record Inputs(int width, int sentences, boolean sharedSteps) {
        public Inputs {
            require(width >= 1, "width", width, "at least 1");
            require(sentences >= 0, "sentences", sentences, "at least 0");
        }
    }

    /**
     * The window of steps that the network reads.
     *
     * @param recentSteps k of PRPF eq. 5
     * @param maxSteps maximum number of steps of a trajectory, or {@link #UNLIMITED}; see {@link #seen}
     * @param maxScreenshots maximum number of screenshots among them, or {@link #UNLIMITED}
     */
    public record Window(int recentSteps, int maxSteps, int maxScreenshots) {
        public Window {
            String rule = "at least recent-steps = " + recentSteps;
            require(recentSteps >= 1, "recent-steps", recentSteps, "at least 1");
            require(maxSteps >= recentSteps, "max-steps", maxSteps, rule);
            require(maxScreenshots >= recentSteps, "max-screenshots", maxScreenshots, rule);
        }

        /**
         * Returns the number of steps within the window: the longest suffix with at most {@link #maxSteps} steps and {@link #maxScreenshots}
         * screenshots. Earlier steps are cut.
         *
         * @param screenshot whether step t is a screenshot, shape (T)
         */
        public int seen(boolean[] screenshot) {
            int screenshots = 0;
            int seen = 0;
            for (int t = screenshot.length - 1; t >= 0 && seen < maxSteps; t--) {
                screenshots += screenshot[t] ? 1 : 0;
                if (screenshots > maxScreenshots) {
                    break;
                }
                seen++;
            }
            return seen;
        }
    }

    /**
     * The Transformer encoders and cross-attention.
     *
     * @param dimension d, the unified width of PRPF eq. 3
     * @param heads attention heads; divides d
     * @param layers encoder layers per channel
     * @param feedForward inner width of a layer's feed-forward part
     * @param dropout probability that a unit is dropped after each sublayer and on z, in training only
     */
    public record Transformer(int dimension, int heads, int layers, int feedForward, double dropout) {
        public Transformer {
            require(dimension >= 1, "dimension", dimension, "at least 1");
            require(heads >= 1 && dimension % heads == 0, "heads", heads, "a divisor of dimension = " + dimension);
            require(layers >= 1, "layers", layers, "at least 1");
            require(feedForward >= 1, "feed-forward", feedForward, "at least 1");
            require(dropout >= 0 && dropout < 1, "dropout", dropout, "in [0, 1)");
        }
    }

    public enum Channels {
        BOTH,
        SLOW,
        FAST;

        /** @throws IllegalArgumentException if both are off */
        public static Channels of(boolean slow, boolean fast) {
            if (!slow && !fast) {
                throw new IllegalArgumentException("slow and fast are both off: one channel must be on");
            }
            return slow && fast ? BOTH : slow ? SLOW : FAST;
        }
    }

    public int width() {
        return inputs.width;
    }

    public boolean slow() {
        return channels != Channels.FAST;
    }

    public boolean fast() {
        return channels != Channels.SLOW;
    }

    /** Returns T of a batch by its longest trajectory: the next power of two, at most the limit, to have few batch shapes. */
    public int batchSteps(int longest) {
        int steps = SMALLEST_BATCH_STEPS;
        while (steps < longest) {
            steps *= 2;
        }
        return Math.min(window.maxSteps, steps);
    }

    /** The unit of a context text that gets a vector: the text or a sentence. */
    public ContextUnit contextUnit() {
        return inputs.sentences == 0 ? ContextUnit.TEXT : ContextUnit.SENTENCE;
    }

    /** Maximum number of vectors of one context text. */
    public int textVectors() {
        return Math.max(1, inputs.sentences);
    }

    /** Returns the first column that a step's vector fills. */
    public int stepColumn(boolean screenshot) {
        return screenshot && !inputs.sharedSteps ? 0 : width();
    }

    /** Length of a step's input: screenshots fill the first half, texts the second. */
    public int stepWidth() {
        return 2 * width();
    }
}
