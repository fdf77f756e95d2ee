package dev.prpf.api;

import dev.prpf.api.PrpfException.ClosedException;
import dev.prpf.api.PrpfException.InvalidConfigurationException;
import dev.prpf.api.PrpfException.InvalidDataException;
import dev.prpf.api.PrpfException.UnavailableException;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.perceive.StreamingPerceiver;
import dev.prpf.par.cascade.Cascade;
import dev.prpf.par.cascade.CascadeFolder;
import dev.prpf.par.cascade.LoadedCascade;
import dev.prpf.par.cascade.LoadedCascade.ReasonerSource;
import dev.prpf.par.cascade.Prediction;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/**
 * A trained cascade: a gate that decides when to help, and a reasoner that decides how.
 *
 * <pre>{@code
 * try (PrpfCascade cascade = PrpfCascade.load(Path.of("runs/my-assistant"))) {
 *     Recommendation answer = cascade.recommend(sample);
 * }
 * }</pre>
 *
 * <p>Thread-safe. The gate scores one sample at a time, and the reasoner generates one response at a time; neither waits for the other. {@link
 * #close} waits for calls in progress; later calls throw {@link ClosedException}. The folder is only read, so several cascades and processes can
 * open it at once. No sample is written to disk.
 */
public final class PrpfCascade implements AutoCloseable {
    private final LoadedCascade loaded;
    private final Cascade cascade;
    private final ReentrantReadWriteLock use = new ReentrantReadWriteLock();
    private final Object gate = new Object();
    private final Object reasoner = new Object();
    private final String name;
    private boolean closed;

    private PrpfCascade(Path folder, LoadedCascade loaded) {
        this.loaded = loaded;
        cascade = loaded.cascade();
        name = folder.toString();
    }

    /**
     * Loads gate and reasoner from a folder that {@code prpf train} made, and checks all files. If the reasoner's native libraries are missing, only
     * the gate works: a warning is logged, and {@link #recommend} throws for samples that pass the gate.
     *
     * @throws UnavailableException if the folder or a file is missing, a training uses the folder, or an encoder's artifact is not on the class path
     * @throws InvalidDataException if a file has changed since the training
     * @throws InvalidConfigurationException if another version made the folder
     */
    public static PrpfCascade load(Path folder) {
        return open(folder, true);
    }

    /** Loads only the gate, as {@link #load}; {@link #recommend} then throws for samples that pass the gate. */
    public static PrpfCascade loadGate(Path folder) {
        return open(folder, false);
    }

    private static PrpfCascade open(Path folder, boolean reasons) {
        return PrpfException.converting(() -> {
            CascadeFolder found = CascadeFolder.open(folder, reasons);
            ReasonerSource source = reasons
                    ? ReasonerIfAvailable.of(LoadedCascade.reasonerOf(found))
                    : ReasonerIfAvailable.none(folder.toString());
            Path images = folder.toAbsolutePath().getRoot();
            return new PrpfCascade(folder, LoadedCascade.open(found, source, null, images));
        });
    }

    /** Returns the threshold of the gate: help is due if the probability is at least this. */
    public double threshold() {
        return cascade.settings().threshold();
    }

    /**
     * Runs the gate on a sample.
     *
     * @throws InvalidDataException if the sample has no step or an image that cannot be read
     * @throws ClosedException after {@link #close}
     */
    public Perception perceive(Sample sample) {
        return using(() -> perception(score(sample.internal()).perception()));
    }

    /**
     * Runs the gate on a sample, and the reasoner if help is due.
     *
     * @throws InvalidDataException if the sample has no step or an image that cannot be read
     * @throws UnavailableException if help is due and the reasoner was not loaded
     * @throws ClosedException after {@link #close}
     */
    public Recommendation recommend(Sample sample) {
        return using(() -> {
            dev.prpf.data.Sample internal = sample.internal();
            return reason(internal, score(internal));
        });
    }

    /** Opens a stream that scores each new step of a device. It works until this cascade is closed. */
    public PrpfStream stream(Context context) {
        return using(() -> new PrpfStream(this, StreamingPerceiver.of(cascade.perceiver()), context));
    }

    Perceiver.Costed score(dev.prpf.data.Sample sample) {
        return guarded(() -> Objects.requireNonNull(cascade.perceive(List.of(sample)), "gate")
                .get(0));
    }

    /** Runs work of the gate, one call at a time. */
    <T> T guarded(Supplier<T> work) {
        synchronized (gate) {
            return work.get();
        }
    }

    Recommendation reason(dev.prpf.data.Sample sample, Perceiver.Costed scored) {
        Perception perception = perception(scored.perception());
        if (!perception.triggers()) {
            return new Recommendation.BelowThreshold(perception);
        }
        Prediction prediction;
        synchronized (reasoner) {
            prediction =
                    cascade.reason(List.of(sample), List.of(scored), () -> {}).get(0);
        }
        return recommendation(perception, prediction);
    }

    private static Recommendation recommendation(Perception perception, Prediction prediction) {
        List<dev.prpf.data.FunctionCall> preferred = prediction.scored();
        if (prediction.calls() == null || preferred == null) {
            String response = prediction.response();
            return new Recommendation.Malformed(perception, response == null ? "" : response, prediction.cut());
        }
        return preferred.isEmpty()
                ? new Recommendation.Silence(perception)
                : new Recommendation.Actions(
                        perception,
                        prediction.calls().stream()
                                .map(calls ->
                                        calls.stream().map(FunctionCall::of).toList())
                                .toList());
    }

    Perception perception(dev.prpf.mpp.Perception perception) {
        return new Perception(perception.pTrigger(), threshold(), perception.scenarios());
    }

    /** Runs a call while the cascade is open, and converts its failures. */
    <T> T using(Supplier<T> call) {
        use.readLock().lock();
        try {
            if (closed) {
                throw new ClosedException(name + ": the cascade is closed; load it again");
            }
            return PrpfException.converting(call);
        } finally {
            use.readLock().unlock();
        }
    }

    /** Waits for calls in progress, then frees the models. Further calls have no effect. */
    @Override
    public void close() {
        use.writeLock().lock();
        try {
            if (!closed) {
                closed = true;
                loaded.close();
            }
        } finally {
            use.writeLock().unlock();
        }
    }
}
