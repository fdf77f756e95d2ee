package dev.prpf.par.serve.cascade;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.TraceStep;
import dev.prpf.data.Trajectory;
import dev.prpf.mpp.Perception;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.policy.InterventionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a phone streams: its context and the last steps, with the perceiver that follows them. One request at a time. */
final class Session {
    private final Owner owner;
    private final SessionWindow window;
    private final PerceivedStream stream;
    private final Memory memory;
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
    record Owner(String caller, String user) {
        InterventionPolicy.Moment moment(Sample sample) {
            return new InterventionPolicy.Moment(caller, user, sample, false);
        }

        /** @param question in words, or null */
        InterventionPolicy.Moment asking(Sample sample, @Nullable String question) {
            return new InterventionPolicy.Moment(caller, user, sample, true, question);
        }
    }

    /** What all sessions hold together. */
    interface Memory {
        /**
         * Takes room for a session's frames.
         *
         * @param bytes that it holds from now on
         * @throws ApiException 429 if all together would hold too much; the session then holds what it held
         */
        void hold(Session session, long bytes);
    }

    Session(Owner owner, DeviceContext context, PerceivedStream stream, SessionWindow window, Memory memory) {
        this.owner = owner;
        this.context = context;
        this.stream = stream;
        this.window = window;
        this.memory = memory;
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

    /**
     * Something new of the phone.
     *
     * @param id of the moment
     * @param client who waits for its perception
     * @param updated the context from this frame on, of that before
     */
    record Frame(String id, Client client, Function<DeviceContext, DeviceContext> updated, TraceStep step) {
        private String field() {
            return step instanceof TraceStep.Screenshot ? "image" : "text";
        }
    }

    /** A moment of the session, and how what may be read of it is perceived. */
    record Moment(Sample sample, Function<Sample, Perception> perceiving) {}

    /**
     * Takes a frame; one that cannot be perceived is none, and leaves the context as it was.
     *
     * @param perceive perceives the moment
     * @return its answer, with the session's steps so far
     * @throws ApiException 413 for a frame that a session has no room for, 429 if all sessions together have none
     */
    PerceiveAnswer frame(Frame frame, Function<Moment, PerceiveAnswer> perceive) {
        return alone(() -> {
            long bytes = SessionWindow.bytesOf(frame.step());
            if (bytes > window.bytes()) {
                throw ApiException.tooLarge(
                        frame.field(),
                        frame.field() + " takes " + bytes + " bytes, a session keeps at most " + window.bytes());
            }
            memory.hold(this, SessionWindow.bytesOf(steps) + bytes);
            try {
                return taken(frame, perceive);
            } finally {
                memory.hold(this, SessionWindow.bytesOf(steps));
            }
        });
    }

    private PerceiveAnswer taken(Frame frame, Function<Moment, PerceiveAnswer> perceive) {
        DeviceContext now = frame.updated().apply(context);
        List<TraceStep> grown = new ArrayList<>(steps);
        grown.add(frame.step());
        int from = window.beyond(grown, characters(now));
        List<TraceStep> forgotten = List.copyOf(grown.subList(0, from));
        List<TraceStep> kept = List.copyOf(grown.subList(from, grown.size()));
        PerceiveAnswer answer = perceive.apply(new Moment(
                sample(frame.id(), now, kept), admitted -> stream.perceive(frame.client(), admitted, forgotten)));
        context = now;
        steps = kept;
        taken++;
        return answer.after(taken);
    }

    private static long characters(DeviceContext context) {
        return context.texts().stream().mapToLong(String::length).sum();
    }

    private static Sample sample(String id, DeviceContext context, List<TraceStep> steps) {
        return new Sample(id, 1, null, null, context, new Trajectory(steps), null);
    }

    /**
     * The session's moment now, for a question.
     *
     * @param question what is asked, which will be the last step: what there is no room for beside it is left out; or null
     * @param checked is told the context before
     * @throws ApiException 400 with neither a step nor words
     */
    Sample now(String id, @Nullable String question, Consumer<DeviceContext> checked) {
        return alone(() -> {
            checked.accept(context);
            if (question == null && steps.isEmpty()) {
                throw ApiException.invalid("query", "the session has no frame yet: send one first, or a \"query\"");
            }
            if (question == null) {
                return sample(id, context, steps);
            }
            List<TraceStep> all = new ArrayList<>(steps);
            all.add(new TraceStep.Caption(question));
            return sample(
                    id, context, List.copyOf(steps.subList(window.beyond(all, characters(context)), steps.size())));
        });
    }
}
