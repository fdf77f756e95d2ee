package dev.prpf.par.training;

import dev.prpf.base.error.InsufficientMemoryException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.ProcessMemory;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.FreeMemory;
import dev.prpf.par.engine.FusedShape;
import dev.prpf.par.engine.GradientMemory;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.generate.GenerationMemory;
import dev.prpf.par.lora.LoraAdapters;
import dev.prpf.par.lora.LoraSettings;
import dev.prpf.par.vision.VisionConfig;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a training will take, estimated before its first step; bytes.
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
    public record InUse(@Nullable Long resident, @Nullable Long highest) {}

    /**
     * The sizes of a training's model and batches, from which its parts are estimated.
     *
     * @param vision of the tower that sees the prompts' pictures; null where there are none
     */
    public record Estimator(TrainingConfig config, DecoderConfig model, @Nullable VisionConfig vision) {
        /** Of prompts of text. */
        public Estimator(TrainingConfig config, DecoderConfig model) {
            this(config, model, null);
        }

        private @Nullable TowerMemory tower() {
            return vision == null ? null : new TowerMemory(vision, config.trainVision(), precision());
        }

        /** The whole: weights and optimizer of the model, and the parts that the kind of training has. */
        public TrainingMemory memory(long reference, long update, long rollouts) {
            LoraSettings lora = config.lora();
            long all = model.parameterCount();
            long adapters = lora == null ? 0 : LoraAdapters.parameterCount(model, lora);
            TowerMemory tower = tower();
            long trained = (lora == null ? all : adapters) + (tower == null ? 0 : tower.learned());
            long weights = Float.BYTES * (all + adapters) + (tower == null ? 0 : tower.weights());
            InUse now = new InUse(ProcessMemory.residentBytes(), ProcessMemory.peakBytes());
            return new TrainingMemory(now, weights, 3 * Float.BYTES * trained, reference, update, rollouts);
        }

        public Precision precision() {
            return config.precision().resolve();
        }

        /** The weights that adapters are merged into before they are written or run; 0 without adapters. */
        public long merged() {
            return config.lora() == null ? 0 : Float.BYTES * model.parameterCount();
        }

        /** What the pictures of a batch add to its gradient. */
        public long pictures(TowerMemory.Shown shown) {
            TowerMemory tower = tower();
            return tower == null ? 0 : tower.update(shown);
        }

        /** One batch with its gradient, where the logits of a row take {@code logitBytes} a token of the vocabulary. */
        public long update(GradientMemory.Batch batch, int logitBytes) {
            GradientMemory gradient = new GradientMemory(model, precision(), config.lora() == null);
            return config.gradientCheckpointing()
                    ? gradient.checkpointed(batch, new GradientMemory.Logits(logitBytes, SftBatch.logitRows(model)))
                    : gradient.remembered(batch, new GradientMemory.Logits(logitBytes, batch.labels()));
        }

        /** A decoder of the policy, with the more of responses that are written together and of the weights it is merged from. */
        public long rollouts(int rows, int longest, int maxNewTokens) {
            FusedShape decoder = FusedShape.of(model, precision());
            long responses = GenerationMemory.ofResponses(decoder, rows, longest, maxNewTokens)
                    .bytes();
            return decoder.bytes() + Math.max(responses, merged());
        }

        /**
         * Which settings take less.
         *
         * @param first of these, in words
         * @param gradients whether gradients take the most
         */
        public String lower(String first, boolean gradients) {
            return first
                    + (gradients && !config.gradientCheckpointing()
                            ? ", set training.gradient-checkpointing to true"
                            : "")
                    + (config.lora() == null ? ", train adapters with training.lora" : "")
                    + (precision() == Precision.FP32 ? ", set training.precision to bf16" : "")
                    + ", or take a smaller model";
        }
    }

    public long added() {
        return ENGINE + (long) (GAPS * (weights + learning + reference + Math.max(update, rollouts)));
    }

    /** The most that will be resident; null where the system does not say what is now. */
    public @Nullable Long peak() {
        Long resident = inUse.resident();
        Long highest = inUse.highest();
        return resident == null || highest == null ? null : (Long) Math.max(highest, resident + added());
    }

    /**
     * In megabytes, by name.
     *
     * @param done whether the training is done, so that the most that was resident is known too
     */
    public Map<String, @Nullable Object> byName(boolean done) {
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        parts.put("estimated_peak_mb", megabytes(peak()));
        parts.put("resident_mb", megabytes(inUse.resident()));
        parts.put("weights_mb", megabytes(weights));
        parts.put("learning_mb", megabytes(learning));
        parts.put("reference_mb", megabytes(reference));
        parts.put("update_mb", megabytes(update));
        parts.put("rollouts_mb", megabytes(rollouts));
        if (done) {
            parts.put("peak_mb", megabytes(ProcessMemory.peakBytes()));
        }
        return parts;
    }

    private static @Nullable Long megabytes(@Nullable Long bytes) {
        return bytes == null ? null : (Long) Math.round(bytes / MEGA);
    }

    /** For a person. */
    public String inWords() {
        Long peak = peak();
        return "the training needs about " + gigabytes(added(), " of memory (")
                + gigabytes(weights, " weights, ")
                + gigabytes(learning, " gradients and optimizer, ")
                + (reference == 0 ? "" : gigabytes(reference, " reference, "))
                + gigabytes(update, " a batch with its gradient")
                + (rollouts == 0 ? "" : " or " + gigabytes(rollouts, " rollouts"))
                + (peak == null
                        ? "), beside what is in use"
                        : "), with what is in use " + gigabytes(peak, " at its peak"));
    }

    private static String gigabytes(long bytes, String of) {
        return String.format(Locale.ROOT, "%.2f GB%s", bytes / GIGA, of);
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
                    inWords() + ", and " + gigabytes(free, " are free" + FreeMemory.place() + "; ") + next);
        }
    }
}
