package dev.prpf.mpp.network.definition;

/** An input of the network; {@link FeatureBatch} fills it. */
public enum Input {
    /** Vectors of profile, phone and world. */
    CONTEXT,
    /** 1 if a vector belongs to the text, for each of the three texts; only if texts have several vectors. */
    CONTEXT_MASK,
    /** The steps within the window. */
    FRAMES,
    /** 1 if the step exists, 0 for padding. */
    FRAME_MASK,
    /** The last k steps, the newest in the last row. */
    RECENT,
    /** 1 if the step exists, 0 for padding. */
    RECENT_MASK;

    /** Returns the input's size for one sample of T steps. */
    public Size size(NetworkShape shape, int steps) {
        int texts = NetworkShape.CONTEXT * shape.textVectors();
        return switch (this) {
            case CONTEXT -> new Size(texts, shape.width());
            case CONTEXT_MASK -> new Size(1, NetworkShape.CONTEXT * texts);
            case FRAMES -> new Size(steps, shape.stepWidth());
            case FRAME_MASK -> new Size(1, steps);
            case RECENT -> new Size(shape.window().recentSteps(), shape.stepWidth());
            case RECENT_MASK -> new Size(1, shape.window().recentSteps());
        };
    }

    /** Returns whether a network of this shape reads the input. */
    public boolean isRead(NetworkShape shape) {
        return switch (this) {
            case CONTEXT, FRAMES, FRAME_MASK -> shape.slow();
            case CONTEXT_MASK -> shape.slow() && shape.inputs().sentences() > 0;
            case RECENT, RECENT_MASK -> shape.fast();
        };
    }
}
