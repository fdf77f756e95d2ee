package dev.prpf.eval.command;

import dev.prpf.base.run.ProcessMemory;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.eval.efficiency.RunResources;
import dev.prpf.par.device.PeakMemory;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Measures a run's resources, except those recorded in predictions; each chunk saves them as a line of {@code metrics.jsonl} for resumption. */
final class RunMeter {
    private static final double MEGA = 1e6;

    private final @Nullable RunDirectory directory;
    private final Sources sources;
    private RunResources total = RunResources.NONE;
    private RunResources chunk = RunResources.NONE;
    private long reused;
    private long started = System.nanoTime();
    private @Nullable Double perceiverMb;
    private @Nullable Double perceiverOnCardMb;

    /**
     * Sources of the measured figures.
     *
     * @param reasonerBytes memory that loading the reasoner added to the process, or null
     * @param reused number of contents already encoded in the stores, so far
     * @param reasonerOnCard bytes that loading the reasoner reserved there, or null
     */
    record Sources(@Nullable Long reasonerBytes, LongSupplier reused, PeakMemory card, @Nullable Long reasonerOnCard) {}

    /** @param directory for the lines, already truncated to the durable predictions */
    RunMeter(@Nullable RunDirectory directory, Sources sources) {
        this.directory = directory;
        this.sources = sources;
    }

    /** Resumes after this many saved predictions. */
    void resumeAfter(int predictions) {
        if (directory != null) {
            directory.rewind(predictions);
            RunDirectory.metrics(directory.path()).forEach(line -> total = total.and(RunResources.of(line)));
        }
        started = System.nanoTime();
        add(ProcessMemory.peakBytes(), null, null);
    }

    <T> T perceiving(Supplier<T> work) {
        Long before = ProcessMemory.residentBytes();
        boolean ownPeak = ProcessMemory.resetPeak();
        T result = perceivingOnCard(work);
        Long peak = ProcessMemory.peakBytes();
        Long after = ProcessMemory.residentBytes();
        if (perceiverMb == null && before != null && after != null) {
            perceiverMb = Math.max(0, after - before) / MEGA;
        }
        add(
                peak,
                less(ownPeak ? peak : null, sources.reasonerBytes() == null ? 0 : sources.reasonerBytes() / MEGA),
                null);
        return result;
    }

    /** The first chunk's peak includes the perceiver's models. Later, libtorch caches what the reasoner freed, so only growth counts. */
    private <T> T perceivingOnCard(Supplier<T> work) {
        Long before = perceiverOnCardMb == null
                ? sources.reasonerOnCard()
                : sources.card().bytes();
        PeakMemory.Measured<T> measured = sources.card().during(work);
        if (before != null) {
            double held = perceiverOnCardMb == null ? 0 : perceiverOnCardMb;
            addOnCard(less(measured.peakBytes(), before / MEGA - held), null);
            perceiverOnCardMb = perceiverOnCardMb == null ? less(sources.card().bytes(), before / MEGA) : held;
        }
        return measured.result();
    }

    <T> T reasoning(Supplier<T> work) {
        boolean ownPeak = ProcessMemory.resetPeak();
        PeakMemory.Measured<T> onCard = sources.card().during(work);
        Long peak = ProcessMemory.peakBytes();
        addOnCard(null, less(onCard.peakBytes(), perceiverOnCardMb == null ? 0 : perceiverOnCardMb));
        add(peak, null, less(ownPeak ? peak : null, perceiverMb == null ? 0 : perceiverMb));
        return onCard.result();
    }

    private static @Nullable Double less(@Nullable Long bytes, double mb) {
        return bytes == null ? null : Math.max(0, bytes / MEGA - mb);
    }

    private void add(@Nullable Long peak, @Nullable Double perceiver, @Nullable Double reasoner) {
        chunk = chunk.and(new RunResources(less(peak, 0), perceiver, reasoner, null, null, null, 0, 0));
    }

    private void addOnCard(@Nullable Double perceiver, @Nullable Double reasoner) {
        String reason = sources.card().reason();
        chunk = chunk.and(
                new RunResources(null, null, null, perceiver, reasoner, reason.isEmpty() ? null : reason, 0, 0));
    }

    /** Records that a chunk is durable. */
    void durable(int predictions) {
        long now = System.nanoTime();
        long all = sources.reused().getAsLong();
        RunResources took =
                chunk.and(new RunResources(null, null, null, null, null, null, (now - started) / 1e9, all - reused));
        if (directory != null) {
            directory.metric(predictions, took);
        }
        total = total.and(took);
        chunk = RunResources.NONE;
        started = now;
        reused = all;
    }

    RunResources total() {
        return total;
    }
}
