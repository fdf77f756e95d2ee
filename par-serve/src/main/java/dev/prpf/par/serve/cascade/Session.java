package dev.prpf.par.serve.cascade;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.mpp.Perception;
import dev.prpf.par.serve.cascade.ServedCascade.PerceiveAnswer;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.policy.InterventionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A phone's session: its context and last steps, and the perceiver's state for them. One request at a time. */
final class Session {
    private final Owner owner;
    private final SessionWindow window;
    private final PerceivedStream stream;
    private final ObjLongConsumer<Session> memory;
    private final ReentrantLock lock = new ReentrantLock();
    private DeviceContext context;
    private List<TraceStep> steps = List.of();
    private long taken;
    private volatile long lastUsed;
    private long held;

    /**
     * The owner of a session.
     *
     * @param caller name of the API key that opened it
     * @param user named by the opening request
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

    /**
     * Creates a session without steps.
     *
     * @param memory receives the session and the bytes that it will hold; throws 429 if all sessions together would hold too much
     */
    Session(
            Owner owner,
            DeviceContext context,
            PerceivedStream stream,
            SessionWindow window,
            ObjLongConsumer<Session> memory) {
        this.owner = owner;
        this.context = context;
        this.stream = stream;
        this.window = window;
        this.memory = memory;
    }

    Owner owner() {
        return owner;
    }

    /** Time of the last use, in nanoseconds of the sessions' clock. */
    long lastUsed() {
        return lastUsed;
    }

    void usedAt(long nanos) {
        lastUsed = nanos;
    }

    /** Returns the bytes reserved for its frames, guarded by {@link Sessions}. */
    long held() {
        return held;
    }

    void hold(long bytes) {
        held = bytes;
    }

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
     * A new frame from the phone.
     *
     * @param client that waits for its perception
     * @param updated maps the previous context to the context from this frame on
     */
    record Frame(String id, Client client, Function<DeviceContext, DeviceContext> updated, TraceStep step) {
        private String field() {
            return step instanceof TraceStep.Screenshot ? "image" : "text";
        }
    }

    /** A sample of the session, and the function that scores its readable part. */
    record Moment(Sample sample, Function<Sample, Perception> perceiving) {}

    /**
     * Adds and scores a frame. A frame that cannot be scored is dropped and leaves the context unchanged.
     *
     * @return its answer, with the session's steps so far
     * @throws ApiException 413 for a frame larger than a session, 429 if all sessions together have no room
     */
    PerceiveAnswer frame(Frame frame, Function<Moment, PerceiveAnswer> perceive) {
        return alone(() -> {
            long bytes = SessionWindow.bytesOf(frame.step());
            if (bytes > window.bytes()) {
                throw ApiException.tooLarge(
                        frame.field(),
                        frame.field() + " takes " + bytes + " bytes, a session keeps at most " + window.bytes());
            }
            memory.accept(this, SessionWindow.bytesOf(steps) + bytes);
            try {
                return taken(frame, perceive);
            } finally {
                memory.accept(this, SessionWindow.bytesOf(steps));
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
     * Returns the session's current sample, for a question.
     *
     * @param question which will be the last step, or null; older steps without room next to it are dropped
     * @param checked receives the context before
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
