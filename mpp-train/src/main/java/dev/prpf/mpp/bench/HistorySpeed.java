package dev.prpf.mpp.bench;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.streaming.StreamingNetwork;
import dev.prpf.mpp.streaming.StreamingSession;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A new frame's fusion (projections and answer) after so many frames of history.
 *
 * @param frames how many came before
 * @param microseconds median
 */
public record HistorySpeed(int frames, @JsonProperty("us") double microseconds) {
    private static final int WARM_UP = 2_000;
    private static final int MEASURED = 200;

    /** One stream, looked at after these numbers of frames, ascending. */
    static List<HistorySpeed> measure(StreamingNetwork network, int... frames) {
        NetworkShape shape = network.shape();
        MadeInputs inputs = new MadeInputs(1);
        float[][] vectors = new float[64][];
        Arrays.setAll(vectors, i -> inputs.vector(shape.width()));
        StreamingSession warm = session(network, vectors);
        for (int i = 0; i < WARM_UP; i++) {
            warm.step(vectors[i % vectors.length], true);
            warm.answer();
        }
        StreamingSession session = session(network, vectors);
        List<HistorySpeed> rows = new ArrayList<>();
        for (int wanted : frames) {
            while (session.steps() < wanted) {
                session.step(vectors[(int) session.steps() % vectors.length], true);
            }
            long[] nanos = new long[MEASURED];
            for (int i = 0; i < MEASURED; i++) {
                long start = System.nanoTime();
                session.step(vectors[i % vectors.length], true);
                session.answer();
                nanos[i] = System.nanoTime() - start;
            }
            rows.add(new HistorySpeed(wanted, Timing.of(nanos).median() * 1e3));
        }
        return rows;
    }

    private static StreamingSession session(StreamingNetwork network, float[][] vectors) {
        StreamingSession session = new StreamingSession(network);
        for (int place = 0; place < NetworkShape.CONTEXT; place++) {
            session.context(place, new float[][] {vectors[place]});
        }
        return session;
    }
}
