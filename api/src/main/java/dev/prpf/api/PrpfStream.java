package dev.prpf.api;

import dev.prpf.api.PrpfException.ClosedException;
import dev.prpf.api.PrpfException.InvalidDataException;
import dev.prpf.api.PrpfException.UnavailableException;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.perceive.StreamingPerceiver;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The steps of one device, scored one by one. Only the new step is encoded, and the gate's network processes only this step. Thread-safe; calls take
 * turns. A failed call leaves the stream unchanged.
 */
public final class PrpfStream {
    /** Steps that the reasoner and an ensemble's gate read. */
    static final int KEPT = 64;

    private final PrpfCascade cascade;
    private final @Nullable StreamingPerceiver network;
    private final List<TraceStep> kept = new ArrayList<>();
    private DeviceContext context;
    private dev.prpf.mpp.@Nullable Perception last;

    PrpfStream(PrpfCascade cascade, @Nullable StreamingPerceiver network, Context context) {
        this.cascade = cascade;
        this.network = network;
        this.context = context.internal();
    }

    /** Replaces the context; applies from the next step on. */
    public synchronized void context(Context now) {
        context = now.internal();
    }

    /**
     * Adds a step and returns the gate's result for the steps so far.
     *
     * @throws InvalidDataException if the step is an image that cannot be read
     * @throws ClosedException after {@link PrpfCascade#close}
     */
    public synchronized Perception add(Step step) {
        return cascade.using(() -> {
            dev.prpf.mpp.Perception scored = score(step.internal());
            kept.add(step.internal());
            if (kept.size() > KEPT) {
                kept.remove(0);
            }
            last = scored;
            return cascade.perception(scored);
        });
    }

    private dev.prpf.mpp.Perception score(TraceStep step) {
        if (network == null) {
            List<TraceStep> grown = new ArrayList<>(kept);
            grown.add(step);
            return cascade.score(sample(grown)).perception();
        }
        return cascade.guarded(() -> {
            network.context(context);
            return network.step(step);
        });
    }

    /**
     * Runs the reasoner on the last 64 steps if help is due after the last step.
     *
     * @throws InvalidDataException without a step
     * @throws UnavailableException if help is due and the reasoner was not loaded
     * @throws ClosedException after {@link PrpfCascade#close}
     */
    public synchronized Recommendation recommend() {
        return cascade.using(() -> {
            dev.prpf.data.Sample sample = sample(kept);
            return cascade.reason(sample, last == null ? cascade.score(sample) : new Perceiver.Costed(last, null));
        });
    }

    private dev.prpf.data.Sample sample(List<TraceStep> steps) {
        return new dev.prpf.data.Sample("stream", 1, null, null, context, new Trajectory(steps), null);
    }
}
