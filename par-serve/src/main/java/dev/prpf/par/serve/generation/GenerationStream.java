package dev.prpf.par.serve.generation;

import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.Generation.PromptScores;
import dev.prpf.par.generate.Generation.TopLogprobs;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.GenerationRequest.GenerationRefused;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Updates of one submitted {@link GenerationRequest}; one thread reads them, for one stream or for all streams submitted together. */
public final class GenerationStream {
    /** Grace period of a request after its deadline, in which the loop may finish a step. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final BlockingQueue<Update> updates = new LinkedBlockingQueue<>();
    private final AtomicBoolean cancelled = new AtomicBoolean();
    private final BlockingQueue<GenerationStream> arrivals;
    private final long overdue;

    /**
     * @param arrivals of all streams submitted together: holds a stream once for each of its updates
     * @param deadline of the request, as {@link System#nanoTime}; if the loop does not end it then, the stream fails after the grace period
     */
    GenerationStream(BlockingQueue<GenerationStream> arrivals, long deadline) {
        this.arrivals = arrivals;
        overdue = deadline + GRACE.toNanos();
    }

    public sealed interface Update {
        /**
         * New tokens of the sequence.
         *
         * @param logProbabilities under the model itself; NaN if not requested
         * @param top the likeliest tokens at each position; empty if not requested
         */
        record Tokens(long[] ids, float[] logProbabilities, List<TopLogprobs> top) implements Update {}

        /**
         * The generation ended; nothing follows.
         *
         * @param prompt log-probabilities of the prompt; null if not requested
         */
        record Finished(Generation generation, @Nullable PromptScores prompt) implements Update {}

        /** The generation failed; nothing follows. */
        record Failed(RuntimeException cause) implements Update {}
    }

    /** The first update of several streams. */
    public record Arrival(int index, Update update) {}

    /** Returns the next update, or null if none arrived within the time. */
    public @Nullable Update next(Duration wait) {
        Arrival arrival = next(List.of(this), wait);
        return arrival == null ? null : arrival.update();
    }

    /**
     * Returns the next update of any of the streams, in order of arrival.
     *
     * @param streams all that one {@link GenerationService#submit} returned, or one of them if the others are not read
     * @return null if none arrived within the time
     */
    public static @Nullable Arrival next(List<GenerationStream> streams, Duration wait) {
        try {
            GenerationStream first = streams.size() == 1
                    ? streams.get(0)
                    : streams.get(0).arrivals.poll(wait.toMillis(), TimeUnit.MILLISECONDS);
            Update update = first == null ? null : first.updates.poll(wait.toMillis(), TimeUnit.MILLISECONDS);
            if (update == null && System.nanoTime() - streams.get(0).overdue > 0) {
                streams.forEach(GenerationStream::cancel);
                return new Arrival(
                        0,
                        new Update.Failed(
                                new GenerationRefused(
                                        GenerationRefused.Reason.LATE,
                                        "the request's time ran out and the model has not finished its step; try again later")));
            }
            return update == null ? null : new Arrival(streams.indexOf(first), update);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            streams.forEach(GenerationStream::cancel);
            return null;
        }
    }

    /** Cancels the generation: the client no longer waits. */
    public void cancel() {
        cancelled.set(true);
    }

    boolean cancelled() {
        return cancelled.get();
    }

    void tell(Update update) {
        updates.add(update);
        arrivals.add(this);
    }
}
