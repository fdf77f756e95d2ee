package dev.prpf.par.serve.cascade;

import dev.prpf.par.serve.http.ClientConnection;
import dev.prpf.par.serve.http.EventStream;
import java.util.List;
import java.util.Map;

/** Receives the answer to a recommendation request, with its events on the way if the client wants them. */
interface Audience {
    /** The event {@code perception}: the perceiver's result, sent before the reasoner starts. */
    record Perceived(
            double pTrigger,
            boolean trigger,
            double threshold,
            Map<String, Double> scenarios,
            List<String> candidateFunctions) {}

    /** Returns whether the response is streamed while it is generated. */
    boolean watches();

    void perceived(Perceived perceived);

    void wrote(ResponseParts.Delta delta);

    /** Called while nothing new arrives. @throws EventStream.Gone if the client disconnected */
    void waiting();

    /** Waits for the complete answer, without events. */
    record ForTheWhole(ClientConnection connection) implements Audience {
        @Override
        public boolean watches() {
            return false;
        }

        @Override
        public void perceived(Perceived perceived) {}

        @Override
        public void wrote(ResponseParts.Delta delta) {}

        @Override
        public void waiting() {
            connection.requireOpen();
        }
    }

    /** Sends events to a streaming client. */
    final class ByEvents implements Audience {
        private static final int MOMENTS = 50;

        private final EventStream events;
        private final ClientConnection connection;
        private int waited;

        ByEvents(EventStream events, ClientConnection connection) {
            this.events = events;
            this.connection = connection;
        }

        @Override
        public boolean watches() {
            return true;
        }

        @Override
        public void perceived(Perceived perceived) {
            events.send("perception", perceived);
        }

        @Override
        public void wrote(ResponseParts.Delta delta) {
            waited = 0;
            events.send("delta", delta);
        }

        @Override
        public void waiting() {
            if (!events.began()) {
                connection.requireOpen();
            } else if (++waited % MOMENTS == 0) {
                events.keepAlive();
            }
        }
    }
}
