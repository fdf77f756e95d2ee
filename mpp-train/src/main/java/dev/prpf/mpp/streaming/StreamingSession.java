package dev.prpf.mpp.streaming;

import dev.prpf.mpp.network.NetworkShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One stream of encoder vectors through a {@link StreamingNetwork}: projections of the context and of the last steps are kept, so that
 * neither a step's cost nor the memory grows with the history. Not for use by two threads at once.
 */
public final class StreamingSession {
    private final StreamingNetwork network;
    private final float[][] contextTokens = new float[NetworkShape.CONTEXT][];
    private final List<ProjectedStep> window = new ArrayList<>();
    private final List<Boolean> screenshots = new ArrayList<>(); // of the window's steps
    private int frames; // screenshots in the window
    private long steps;

    public StreamingSession(StreamingNetwork network) {
        this.network = network;
    }

    /**
     * Replaces one text of the context.
     *
     * @param place 0 profile, 1 phone, 2 world
     * @param vectors its encodings, shape (N, E): one of the whole text, or one a sentence, of which the network's first so many count
     */
    public void context(int place, float[][] vectors) {
        int most = Math.max(1, network.shape().sentences());
        if (vectors.length == 0 || (network.shape().sentences() == 0 && vectors.length > 1)) {
            throw new IllegalArgumentException("a context text has " + vectors.length + " vectors, the network takes "
                    + (network.shape().sentences() == 0 ? "one" : "one a sentence, at least one"));
        }
        for (float[] vector : vectors) {
            checked(vector);
        }
        contextTokens[place] = network.contextToken(place, Arrays.copyOf(vectors, Math.min(most, vectors.length)));
    }

    /** Adds the newest step; what then lies before the network's limits is forgotten (see {@link NetworkShape#seen}). */
    public void step(float[] vector, boolean screenshot) {
        window.add(network.step(checked(vector), screenshot));
        screenshots.add(screenshot);
        frames += screenshot ? 1 : 0;
        while (window.size() > network.shape().maxSteps()
                || frames > network.shape().maxFrames()) {
            window.remove(0);
            frames -= screenshots.remove(0) ? 1 : 0;
        }
        steps++;
    }

    private float[] checked(float[] vector) {
        if (vector.length != network.shape().width()) {
            throw new IllegalArgumentException("a vector of " + vector.length + " numbers, the network takes "
                    + network.shape().width());
        }
        for (float value : vector) {
            if (!Float.isFinite(value)) {
                throw new IllegalArgumentException("a vector holds " + value + ", only finite numbers have a meaning");
            }
        }
        return vector;
    }

    /** Steps so far, forgotten ones included. */
    public long steps() {
        return steps;
    }

    /**
     * What the network says now.
     *
     * @throws IllegalStateException before the first step or before every text of the context was given
     */
    public StreamingNetwork.Answer answer() {
        if (window.isEmpty()) {
            throw new IllegalStateException("no step was seen yet: a decision needs at least one");
        }
        for (float[] token : contextTokens) {
            if (token == null) {
                throw new IllegalStateException("the context was not given yet: profile, phone and world come first");
            }
        }
        return network.answer(contextTokens, window);
    }
}
