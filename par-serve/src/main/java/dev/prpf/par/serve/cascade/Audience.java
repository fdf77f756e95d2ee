package dev.prpf.par.serve.cascade;

import dev.prpf.par.serve.http.ClientConnection;
import dev.prpf.par.serve.http.EventStream;
import java.util.List;
import java.util.Map;

/** Who waits for a recommendation, and what of it is told before its end. */
interface Audience {
    /** What was perceived, before anybody reasons: the event {@code perception}. */
    record Perceived(
            double pTrigger,
            boolean trigger,
            double threshold,
            Map<String, Double> scenarios,
            List<String> candidateFunctions) {}

    /** Whether it is shown a response as it is written. */
    boolean watches();

    void perceived(Perceived perceived);

    void wrote(ResponseParts.Delta delta);

    /** Nothing came for a moment. @throws EventStream.Gone if nobody waits any more */
    void waiting();

    /** Waits for the whole answer. */
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

    /** Is sent events. */
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
