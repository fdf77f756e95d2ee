package dev.prpf.par.serve.generation;

import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.GenerationRefused;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.PromptScores;
import dev.prpf.par.generate.TopLogprobs;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Updates of one submitted {@link GenerationRequest}; read by one thread, alone or with the streams submitted with it. */
public final class GenerationStream {
    /** Grace period of a request after its deadline, in which the loop may finish a step. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final BlockingQueue<Update> updates = new LinkedBlockingQueue<>();
    private final AtomicBoolean cancelled = new AtomicBoolean();
    private final BlockingQueue<GenerationStream> arrivals;
    private final long overdue;

    /**
     * @param arrivals of all streams submitted together: holds a stream once for each of its updates
     * @param deadline of the request, as {@link System#nanoTime}: the loop ends it then; if the loop does not, the stream fails after the grace period
     */
    GenerationStream(BlockingQueue<GenerationStream> arrivals, long deadline) {
        this.arrivals = arrivals;
        overdue = deadline + GRACE.toNanos();
    }

    /** Something new. */
    public sealed interface Update {
        /**
         * New tokens.
         *
         * @param ids of them
         * @param logProbabilities of each under the model itself; NaN where they were not asked for
         * @param top the likeliest tokens at each place; empty where they were not asked for
         */
        record Tokens(long[] ids, float[] logProbabilities, List<TopLogprobs> top) implements Update {}

        /**
         * It ended; nothing follows.
         *
         * @param prompt how likely its prompt is; null where that was not asked for
         */
        record Finished(Generation generation, @Nullable PromptScores prompt) implements Update {}

        /** It could not go on; nothing follows. */
        record Failed(RuntimeException cause) implements Update {}
    }

    /** What came first of several streams. */
    public record Arrival(int index, Update update) {}

    /** The next update, or null if none came within the time. */
    public @Nullable Update next(Duration wait) {
        Arrival arrival = next(List.of(this), wait);
        return arrival == null ? null : arrival.update();
    }

    /**
     * The next update of any of the streams, in the order that they came.
     *
     * @param streams all that one {@link GenerationService#submit} returned, or one of them, if the others are left alone
     * @return null if none came within the time
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

    /** Nobody waits any more: it ends as it is. */
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
