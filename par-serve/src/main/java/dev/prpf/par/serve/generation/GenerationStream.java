package dev.prpf.par.serve.generation;

import dev.prpf.par.generate.Generation;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** What becomes of a {@link GenerationJob}, as it comes; read by one thread. */
public final class GenerationStream {
    private final BlockingQueue<Update> updates = new LinkedBlockingQueue<>();
    private final AtomicBoolean cancelled = new AtomicBoolean();

    GenerationStream() {}

    /** Something new. */
    public sealed interface Update {
        /**
         * New tokens.
         *
         * @param ids of them
         * @param logProbabilities of each under the model itself; NaN where they were not asked for
         */
        record Tokens(long[] ids, float[] logProbabilities) implements Update {}

        /** It ended; nothing follows. */
        record Finished(Generation generation) implements Update {}

        /** It could not go on; nothing follows. */
        record Failed(RuntimeException cause) implements Update {}
    }

    /** The next update, or null if none came within the time. */
    public @Nullable Update next(Duration wait) {
        try {
            return updates.poll(wait.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            cancel();
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
    }
}
