package dev.prpf.par.serve.openai;

import dev.prpf.par.serve.generation.GenerationStream;
import dev.prpf.par.serve.generation.GenerationStream.Arrival;
import dev.prpf.par.serve.generation.GenerationStream.Update;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.ClientConnection;
import dev.prpf.par.serve.http.EventStream;
import java.time.Duration;
import java.util.List;

/**
 * Waits for the generations of one request, and polls whether its client is still connected. Cancels the generations when the request ends.
 *
 * @param connection of the client, polled until the answer begins; afterwards, writing detects a disconnect
 */
record AnswerLoop(ClientConnection connection, EventStream events) {
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final Duration SILENCE = Duration.ofSeconds(10);

    /** Receives the updates of the generations. */
    interface Taker {
        void tokens(int index, Update.Tokens tokens);

        void finished(int index, Update.Finished finished);
    }

    /** @throws EventStream.Gone if the client disconnected */
    void run(List<GenerationStream> streams, Taker taker) {
        try {
            loop(streams, taker);
        } finally {
            streams.forEach(GenerationStream::cancel);
        }
    }

    private void loop(List<GenerationStream> streams, Taker taker) {
        int open = streams.size();
        long looked = System.nanoTime();
        long heard = looked;
        while (open > 0) {
            Arrival arrival = GenerationStream.next(streams, LOOK);
            if (Thread.currentThread().isInterrupted()) {
                throw ApiException.unavailable(null, "the server stopped");
            }
            long now = System.nanoTime();
            if (!events.began() && now - looked >= LOOK.toNanos()) {
                connection.requireOpen();
                looked = now;
            }
            if (arrival != null) {
                heard = now;
                open -= take(arrival, taker);
            } else if (events.began() && now - heard >= SILENCE.toNanos()) {
                events.keepAlive();
                heard = now;
            }
        }
    }

    /** Passes on an update; returns 1 for the end of a generation, else 0. */
    private static int take(Arrival arrival, Taker taker) {
        if (arrival.update() instanceof Update.Failed failed) {
            throw failed.cause();
        }
        if (arrival.update() instanceof Update.Tokens tokens) {
            taker.tokens(arrival.index(), tokens);
            return 0;
        }
        taker.finished(arrival.index(), (Update.Finished) arrival.update());
        return 1;
    }
}
