package dev.prpf.par.serve.cascade;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.TraceStep;
import dev.prpf.data.Trajectory;
import dev.prpf.mpp.Perception;
import dev.prpf.par.serve.http.ApiException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a phone streams: its context and the last steps, with the perceiver that follows them. One request at a time. */
final class Session {
    private final Owner owner;
    private final SessionSettings settings;
    private final PerceivedStream stream;
    private final ReentrantLock lock = new ReentrantLock();
    private DeviceContext context;
    private List<TraceStep> steps = List.of();
    private long taken;
    private volatile long lastUsed;

    /**
     * Whose it is.
     *
     * @param caller whose API key made it
     * @param user whose moments these are
     */
    record Owner(String caller, String user) {}

    Session(Owner owner, DeviceContext context, PerceivedStream stream, SessionSettings settings) {
        this.owner = owner;
        this.context = context;
        this.stream = stream;
        this.settings = settings;
    }

    Owner owner() {
        return owner;
    }

    /** Nanoseconds of the sessions' clock. */
    long lastUsed() {
        return lastUsed;
    }

    void usedAt(long nanos) {
        lastUsed = nanos;
    }

    /** Whether a request is under way. */
    boolean busy() {
        return lock.isLocked();
    }

    /** @throws ApiException 409 while another request is under way */
    private <T> T alone(Supplier<T> work) {
        if (!lock.tryLock()) {
            throw ApiException.conflict("another request of this session is under way; send one after the other");
        }
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    /** A moment of the session, and how what may be read of it is perceived. */
    record Moment(Sample sample, Function<Sample, Perception> perceiving) {}

    /**
     * Takes a frame; one that cannot be perceived is none, and leaves the context as it was.
     *
     * @param id of the moment
     * @param updated the context from this frame on, of that before
     * @param perceive perceives the moment
     * @return its answer, with the session's steps so far
     */
    PerceiveAnswer frame(
            String id,
            Function<DeviceContext, DeviceContext> updated,
            TraceStep step,
            Function<Moment, PerceiveAnswer> perceive) {
        return alone(() -> {
            DeviceContext now = updated.apply(context);
            List<TraceStep> grown = new ArrayList<>(steps);
            grown.add(step);
            List<TraceStep> forgotten = List.copyOf(grown.subList(0, beyond(grown)));
            List<TraceStep> kept = List.copyOf(grown.subList(forgotten.size(), grown.size()));
            Sample sample = sample(id, now, kept);
            PerceiveAnswer answer =
                    perceive.apply(new Moment(sample, admitted -> stream.perceive(admitted, forgotten)));
            context = now;
            steps = kept;
            taken++;
            return answer.after(taken);
        });
    }

    /** How many of the first steps there is no room for; the last one is kept whatever its length. */
    private int beyond(List<TraceStep> grown) {
        int from = grown.size() - 1;
        long characters = length(grown.get(from));
        while (from > 0 && grown.size() - from < settings.maxFrames()) {
            characters += length(grown.get(from - 1));
            if (characters > settings.maxCharacters()) {
                break;
            }
            from--;
        }
        return from;
    }

    private static long length(TraceStep step) {
        return step.text(TraceStep.Screenshot::path).length();
    }

    private static Sample sample(String id, DeviceContext context, List<TraceStep> steps) {
        return new Sample(id, 1, null, null, context, new Trajectory(steps), null);
    }

    /**
     * The session's moment now, for a question.
     *
     * @param question the last step, in words; or null
     * @throws ApiException 400 without a step
     */
    Sample now(String id, @Nullable String question) {
        return alone(() -> {
            List<TraceStep> all = new ArrayList<>(steps);
            if (question != null) {
                all.add(new TraceStep.Caption(question));
            }
            if (all.isEmpty()) {
                throw ApiException.invalid("query", "the session has no frame yet: send one first, or a \"query\"");
            }
            return sample(id, context, all);
        });
    }
}
