package dev.prpf.mpp.streaming;

import dev.prpf.mpp.network.definition.Logits;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.host.HostStream;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * One stream of encoder vectors through a {@link StreamingNetwork}: projections of the context and of the last steps are kept, so that
 * neither a step's cost nor the memory grows with the history. Not for use by two threads at once.
 */
public final class StreamingSession {
    private final NetworkShape shape;
    private final HostStream stream;
    private final boolean[] given = new boolean[NetworkShape.CONTEXT];
    private final Deque<Boolean> screenshots = new ArrayDeque<>(); // of the steps that are seen
    private int frames; // screenshots among them
    private long steps;

    public StreamingSession(StreamingNetwork network) {
        shape = network.shape();
        stream = network.newStream();
    }

    /**
     * Replaces one text of the context.
     *
     * @param place 0 profile, 1 phone, 2 world
     * @param vectors its encodings, shape (N, E): one of the whole text, or one a sentence, of which the network sees the first ones up
     *     to its limit
     */
    public void context(int place, float[][] vectors) {
        if (vectors.length == 0 || (shape.sentences() == 0 && vectors.length > 1)) {
            throw new IllegalArgumentException("a context text has " + vectors.length + " vectors, the network takes "
                    + (shape.sentences() == 0 ? "one" : "one a sentence, at least one"));
        }
        for (float[] vector : vectors) {
            check(vector);
        }
        stream.context(place, vectors);
        given[place] = true;
    }

    /** Adds the newest step; what then lies before the network's limits is forgotten (see {@link NetworkShape#seen}). */
    public void step(float[] vector, boolean screenshot) {
        check(vector);
        screenshots.add(screenshot);
        frames += screenshot ? 1 : 0;
        while (screenshots.size() > shape.maxSteps() || frames > shape.window().maxFrames()) {
            frames -= screenshots.remove() ? 1 : 0;
            stream.forgetOldest();
        }
        stream.step(vector, shape.stepColumn(screenshot));
        steps++;
    }

    private void check(float[] vector) {
        if (vector.length != shape.width()) {
            throw new IllegalArgumentException(
                    "a vector of " + vector.length + " numbers, the network takes " + shape.width());
        }
        for (float value : vector) {
            if (!Float.isFinite(value)) {
                throw new IllegalArgumentException("a vector holds " + value + ", only finite numbers have a meaning");
            }
        }
    }

    /** Steps so far, forgotten ones included. */
    public long steps() {
        return steps;
    }

    /**
     * The network's logits now, of one sample.
     *
     * @throws IllegalStateException before the first step or before every text of the context was given
     */
    public Logits answer() {
        if (steps == 0) {
            throw new IllegalStateException("no step was seen yet: a decision needs at least one");
        }
        for (boolean text : given) {
            if (!text) {
                throw new IllegalStateException("the context was not given yet: profile, phone and world come first");
            }
        }
        return stream.answer();
    }
}
