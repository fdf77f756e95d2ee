package dev.prpf.par.serve.cascade;

import dev.prpf.par.serve.http.EventStream;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The client of a recommendation request: waits for the complete answer, or receives events on the way. */
final class Audience {
    private static final int MOMENTS = 50;

    private final Runnable connection;
    private final @Nullable EventStream events;
    private int waited;

    /**
     * @param connection throws if the client disconnected
     * @param events null for a client that waits for the complete answer
     */
    Audience(Runnable connection, @Nullable EventStream events) {
        this.connection = connection;
        this.events = events;
    }

    /** The event {@code perception}: the perceiver's result, sent before the reasoner starts. */
    record Perceived(
            double pTrigger,
            boolean trigger,
            double threshold,
            Map<String, Double> scenarios,
            List<String> candidateFunctions) {}

    /** Returns whether the response is streamed while it is generated. */
    boolean watches() {
        return events != null;
    }

    void perceived(Perceived perceived) {
        if (events != null) {
            events.send("perception", perceived);
        }
    }

    void wrote(ResponseParts.Delta delta) {
        waited = 0;
        if (events != null) {
            events.send("delta", delta);
        }
    }

    /** Called while nothing new arrives. @throws EventStream.Gone if the client disconnected */
    void waiting() {
        if (events == null || !events.began()) {
            connection.run();
        } else if (++waited % MOMENTS == 0) {
            events.keepAlive();
        }
    }
}
