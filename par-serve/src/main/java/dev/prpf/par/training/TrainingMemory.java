package dev.prpf.par.training;

import dev.prpf.base.error.InsufficientMemoryException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.ProcessMemory;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.GradientMemory;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.PrecisionChoice;
import dev.prpf.par.lora.LoraAdapters;
import dev.prpf.par.lora.LoraSettings;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a training will take, reckoned before its first step; bytes.
 *
 * @param inUse what this process takes already
 * @param weights float32
 * @param learning gradients and both moments of what learns, float32
 * @param reference the frozen policy; 0 without one
 * @param update one batch with its gradient
 * @param rollouts a decoder of the policy with what it remembers; 0 where nothing is sampled
 */
public record TrainingMemory(InUse inUse, long weights, long learning, long reference, long update, long rollouts) {
    private static final double GIGA = 1e9;
    private static final double MEGA = 1e6;

    /** What blocks are rounded up by, and gaps between them. */
    private static final double GAPS = 1.08;

    /** libtorch's kernels and the heap's growth while a training runs. */
    private static final long ENGINE = 200_000_000;

    /**
     * This process before the training.
     *
     * @param resident now; null where the system does not say
     * @param highest so far; null where the system does not say
     */
    public record InUse(@Nullable Long resident, @Nullable Long highest) {
        public static InUse now() {
            return new InUse(ProcessMemory.residentBytes(), ProcessMemory.peakBytes());
        }
    }

    /** What the weights take, and what learns of them. */
    public record Model(long weights, long learning) {
        public static Model of(DecoderConfig config, @Nullable LoraSettings lora) {
            long all = config.parameterCount();
            long adapters = lora == null ? 0 : LoraAdapters.parameterCount(config, lora);
            long trained = lora == null ? all : adapters;
            return new Model(Float.BYTES * (all + adapters), 3 * Float.BYTES * trained);
        }
    }

    /** One batch with its gradient, where the logits of a row take {@code logitBytes} a token of the vocabulary. */
    public static long update(
            GradientMemory gradient,
            DecoderConfig model,
            GradientMemory.Batch batch,
            int logitBytes,
            boolean checkpointing) {
        return checkpointing
                ? gradient.checkpointed(batch, new GradientMemory.Logits(logitBytes, LogitPieces.rowsTogether(model)))
                : gradient.remembered(batch, new GradientMemory.Logits(logitBytes, batch.labels()));
    }

    /** Says that checkpointing takes less, where it is off. */
    public static String checkpointing(boolean on) {
        return on ? "" : ", set training.gradient-checkpointing to true";
    }

    /** Says which other settings take less. */
    public static String smaller(@Nullable LoraSettings lora, PrecisionChoice precision) {
        return (lora == null ? ", train adapters with training.lora" : "")
                + (precision.resolve() == Precision.FP32 ? ", set training.precision to bf16" : "")
                + ", or take a smaller model";
    }

    /** What the training adds to the process. */
    long added() {
        return ENGINE + (long) (GAPS * (weights + learning + reference + Math.max(update, rollouts)));
    }

    /** The most that will be resident; null where the system does not say what is now. */
    public @Nullable Long peak() {
        Long resident = inUse.resident();
        Long highest = inUse.highest();
        return resident == null || highest == null ? null : (Long) Math.max(highest, resident + added());
    }

    /** In megabytes, by name. */
    public Map<String, @Nullable Object> byName() {
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        parts.put("estimated_peak_mb", megabytes(peak()));
        parts.put("resident_mb", megabytes(inUse.resident()));
        parts.put("weights_mb", megabytes(weights));
        parts.put("learning_mb", megabytes(learning));
        parts.put("reference_mb", megabytes(reference));
        parts.put("update_mb", megabytes(update));
        parts.put("rollouts_mb", megabytes(rollouts));
        return parts;
    }

    /** The same with the most that was resident, once the training is done. */
    public Map<String, @Nullable Object> byNameWithPeak() {
        Map<String, @Nullable Object> parts = byName();
        parts.put("peak_mb", megabytes(ProcessMemory.peakBytes()));
        return parts;
    }

    private static @Nullable Long megabytes(@Nullable Long bytes) {
        return bytes == null ? null : (Long) Math.round(bytes / MEGA);
    }

    /** For a person. */
    public String inWords() {
        Long peak = peak();
        return String.format(
                Locale.ROOT,
                "the training needs about %.2f GB of memory (%s), %s",
                added() / GIGA,
                parts(),
                peak == null
                        ? "beside what is in use"
                        : String.format(Locale.ROOT, "with what is in use %.2f GB at its peak", peak / GIGA));
    }

    private String parts() {
        String start = String.format(
                Locale.ROOT, "%.2f GB weights, %.2f GB gradients and optimizer", weights / GIGA, learning / GIGA);
        String more = reference == 0 ? "" : String.format(Locale.ROOT, ", %.2f GB reference", reference / GIGA);
        String most = String.format(Locale.ROOT, ", %.2f GB a batch with its gradient", update / GIGA);
        return start
                + more
                + most
                + (rollouts == 0 ? "" : String.format(Locale.ROOT, " or %.2f GB rollouts", rollouts / GIGA));
    }

    /**
     * Refuses what does not fit.
     *
     * @param free bytes
     * @param next what to lower, by key
     * @throws PrpfException 3, naming both
     */
    public void requireWithin(long free, String next) {
        if (added() > free) {
            throw new InsufficientMemoryException(
                    String.format(Locale.ROOT, "%s, and %.2f GB are free; %s", inWords(), free / GIGA, next));
        }
    }
}
