package dev.prpf.mpp.network;

import dev.prpf.data.encode.ContextUnit;

/**
 * The perceiver's dimensions.
 *
 * @param width E, length of an encoder's vector
 * @param dimension d, the unified width of PRPF eq. 3
 * @param heads attention heads; divides d
 * @param layers Transformer encoder layers a channel
 * @param feedForward inner width of a layer's feed-forward part
 * @param recentSteps k of PRPF eq. 5
 * @param maxSteps most steps of a trajectory that are seen, or {@link #UNLIMITED}; see {@link #seen}
 * @param maxFrames most screenshots among them, or {@link #UNLIMITED}
 * @param scenarios S, number of scenario outputs
 * @param dropout probability that a unit is dropped after each sublayer and on z, in training only
 * @param slow whether the slow channel is on
 * @param fast whether the fast channel is on
 * @param sentences most sentences of a context text, each a vector, pooled to one by attention; 0 for one vector a text
 * @param sharedSteps whether screenshots take the texts' projection instead of one of their own
 */
public record NetworkShape(
        int width,
        int dimension,
        int heads,
        int layers,
        int feedForward,
        int recentSteps,
        int maxSteps,
        int maxFrames,
        int scenarios,
        double dropout,
        boolean slow,
        boolean fast,
        int sentences,
        boolean sharedSteps) {
    /** Vectors of the context: profile, phone, world. */
    public static final int CONTEXT = 3;

    /** A limit that limits nothing. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    private static final int SMALLEST_PLAN = 16;

    public NetworkShape {
        atLeastOne("width", width);
        atLeastOne("dimension", dimension);
        atLeastOne("heads", heads);
        atLeastOne("layers", layers);
        atLeastOne("feed-forward", feedForward);
        atLeastOne("recent-steps", recentSteps);
        atLeastOne("scenarios", scenarios);
        if (dimension % heads != 0) {
            throw new IllegalArgumentException(
                    "dimension = " + dimension + ", heads = " + heads + ": heads must divide dimension");
        }
        if (maxSteps < recentSteps || maxFrames < recentSteps) {
            throw new IllegalArgumentException("max-steps = " + maxSteps + ", max-frames = " + maxFrames
                    + ": both must be at least recent-steps = " + recentSteps);
        }
        if (!(dropout >= 0 && dropout < 1)) {
            throw new IllegalArgumentException("dropout = " + dropout + ", must lie in [0, 1)");
        }
        if (sentences < 0) {
            throw new IllegalArgumentException("sentences = " + sentences + ", must be at least 0");
        }
        if (!slow && !fast) {
            throw new IllegalArgumentException("slow and fast are both off: one channel must be on");
        }
    }

    /** The paper's: one vector a context text, screenshots with a projection of their own. */
    public NetworkShape(
            int width,
            int dimension,
            int heads,
            int layers,
            int feedForward,
            int recentSteps,
            int maxSteps,
            int maxFrames,
            int scenarios,
            double dropout,
            boolean slow,
            boolean fast) {
        this(
                width,
                dimension,
                heads,
                layers,
                feedForward,
                recentSteps,
                maxSteps,
                maxFrames,
                scenarios,
                dropout,
                slow,
                fast,
                0,
                false);
    }

    private static void atLeastOne(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " = " + value + ", must be at least 1");
        }
    }

    /**
     * How many steps of a trajectory are seen: its longest end that has at most {@link #maxSteps} steps and at most {@link #maxFrames}
     * screenshots. What lies before is cut.
     *
     * @param screenshot whether step t is a picture, shape (T)
     */
    public int seen(boolean[] screenshot) {
        int frames = 0;
        int seen = 0;
        for (int t = screenshot.length - 1; t >= 0 && seen < maxSteps; t--) {
            frames += screenshot[t] ? 1 : 0;
            if (frames > maxFrames) {
                break;
            }
            seen++;
        }
        return seen;
    }

    /**
     * T of a batch whose longest trajectory shows so many steps: the limit where it is small, else the next power of two, so that few
     * execution plans serve all lengths.
     */
    int planSteps(int longest) {
        int steps = SMALLEST_PLAN;
        while (steps < longest) {
            steps *= 2;
        }
        return Math.min(maxSteps, steps);
    }

    /** What of a context text gets a vector of its own. */
    public ContextUnit contextUnit() {
        return sentences == 0 ? ContextUnit.TEXT : ContextUnit.SENTENCE;
    }

    /** Most vectors of one context text. */
    int textVectors() {
        return Math.max(1, sentences);
    }

    /** First column of a step's input that its vector fills. */
    int stepColumn(boolean screenshot) {
        return screenshot && !sharedSteps ? 0 : width;
    }

    /** Length of a step's input: pictures fill the first half, texts the second. */
    public int stepWidth() {
        return 2 * width;
    }

    /** Tokens of the slow channel: the context and the pooled trajectory. */
    public int slowTokens() {
        return CONTEXT + 1;
    }

    /** Length of the fused representation z: 2d, or d with one channel off. */
    public int fusedWidth() {
        return slow && fast ? 2 * dimension : dimension;
    }
}
