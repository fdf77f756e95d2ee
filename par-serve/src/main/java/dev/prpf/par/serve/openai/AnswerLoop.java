package dev.prpf.par.serve.openai;

import dev.prpf.par.serve.generation.GenerationStream;
import dev.prpf.par.serve.generation.GenerationStream.Arrival;
import dev.prpf.par.serve.generation.GenerationStream.Update;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.ClientConnection;
import dev.prpf.par.serve.http.EventStream;
import dev.prpf.par.serve.openai.ChatCompletion.Usage;
import io.javalin.http.Context;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answers one request with its generations, as events or as one body. Polls whether the client is still connected until the answer begins;
 * afterwards, writing detects a disconnect. Cancels the generations when the request ends.
 *
 * @param <C> a choice in an event
 */
abstract class AnswerLoop<C> {
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final Duration SILENCE = Duration.ofSeconds(10);

    final EventStream events;
    final long created = Instant.now().getEpochSecond();
    private final Context context;
    private final GenerationFields generation;
    private int written;
    private int cached;

    AnswerLoop(Context context, GenerationFields generation) {
        this.context = context;
        this.generation = generation;
        events = new EventStream(context);
    }

    /** Returns the events of new tokens; may be empty. */
    abstract List<C> tokens(int index, Update.Tokens tokens);

    /** Returns the last events of an answer. */
    abstract List<C> finished(int index, Update.Finished finished);

    /** Adds an event to the answer that is sent as one body. */
    abstract void collect(C choice);

    /** Makes the body of an event; the last one counts tokens and has no choices. */
    abstract Object event(List<C> choices, @Nullable Usage usage);

    /** Makes the body of the collected answers. */
    abstract Object whole(Usage usage);

    /** Returns the number of tokens of all prompts. */
    abstract int promptTokens();

    /** Returns the number of tokens that count as written. */
    int written(Update.Finished finished) {
        return finished.generation().ids().length;
    }

    /** @throws EventStream.Gone if the client disconnected */
    final void run(List<GenerationStream> streams) {
        try {
            loop(streams);
            Usage usage = Usage.of(promptTokens(), written, cached);
            if (!generation.stream()) {
                ApiServer.answer(context, 200, whole(usage));
                return;
            }
            if (generation.usage()) {
                events.send(event(List.of(), usage));
            }
            events.done();
        } catch (RuntimeException e) {
            events.fail(e);
        } finally {
            streams.forEach(GenerationStream::cancel);
        }
    }

    private void loop(List<GenerationStream> streams) {
        ClientConnection connection = new ClientConnection(context);
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
                open -= take(arrival);
            } else if (events.began() && now - heard >= SILENCE.toNanos()) {
                events.keepAlive();
                heard = now;
            }
        }
    }

    /** Passes on an update; returns 1 for the end of a generation, else 0. */
    private int take(Arrival arrival) {
        if (arrival.update() instanceof Update.Failed failed) {
            throw failed.cause();
        }
        if (arrival.update() instanceof Update.Tokens tokens) {
            tokens(arrival.index(), tokens).forEach(this::tell);
            return 0;
        }
        Update.Finished finished = (Update.Finished) arrival.update();
        finished(arrival.index(), finished).forEach(this::tell);
        written += written(finished);
        boolean first = arrival.index() % generation.n() == 0; // each prompt counts once for any number of answers
        cached += first ? finished.generation().cost().cachedTokens() : 0;
        return 1;
    }

    private void tell(C choice) {
        if (generation.stream()) {
            events.send(event(List.of(choice), null));
        } else {
            collect(choice);
        }
    }
}
