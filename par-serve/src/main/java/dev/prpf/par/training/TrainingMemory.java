package dev.prpf.par.training;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InsufficientMemoryException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.run.ProcessMemory;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.FreeMemory;
import dev.prpf.par.engine.FusedShape;
import dev.prpf.par.engine.GradientMemory;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.generate.GenerationMemory;
import dev.prpf.par.vision.VisionConfig;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the memory of a training before its first step, in bytes.
 *
 * @param inUse memory that this process uses already
 * @param held memory held during the whole training
 * @param sampling memory of rollouts; zeros without sampling
 * @param written memory of the weight that takes the most while adapters are merged into the result; 0 without adapters
 */
public record TrainingMemory(InUse inUse, Held held, GradientMemory.Parts batch, Sampling sampling, long written) {
    private static final double GIGA = 1e9;
    private static final double MEGA = 1e6;
    /** Factor for rounding up blocks and for gaps between them. */
    private static final double GAPS = 1.08;
    /** Bytes of libtorch's kernels and of the heap's growth during a training. */
    private static final long ENGINE = 200_000_000;

    /**
     * This process before the training.
     *
     * @param resident now; null if the system does not report it
     * @param highest so far; null if the system does not report it
     */
    public record InUse(@Nullable Long resident, @Nullable Long highest) {}

    /**
     * The memory held during the whole training.
     *
     * @param weights the model's weights: float32 if trained, in the format of the products if frozen
     * @param adapters float32 weights of adapters
     * @param gradients float32 gradients of the trained weights
     * @param moments both float32 moments of the trained weights
     * @param reference the frozen policy; 0 without a reference, and if the reference shares the frozen weights
     */
    public record Held(long weights, long adapters, long gradients, long moments, long reference) {
        long bytes() {
            return weights + adapters + gradients + moments + reference;
        }
    }

    /**
     * The memory of rollouts.
     *
     * @param decoder the policy's decoder; if it shares the frozen weights, its adapters in the format of the products
     * @param caches keys, values and states
     * @param sampling temporary memory of a pass
     */
    public record Sampling(long decoder, long caches, long sampling) {
        static final Sampling NONE = new Sampling(0, 0, 0);

        long bytes() {
            return decoder + caches + sampling;
        }

        /** Returns the rollouts that take more memory. */
        public Sampling max(Sampling other) {
            return other.bytes() > bytes() ? other : this;
        }
    }

    /**
     * Estimates the parts from the sizes of a training's model and batches.
     *
     * @param vision of the prompts' images; null without images
     */
    public record Estimator(TrainingConfig config, DecoderConfig model, @Nullable VisionConfig vision) {
        /** Creates an estimator for text. */
        public Estimator(TrainingConfig config, DecoderConfig model) {
            this(config, model, null);
        }

        private @Nullable TowerMemory tower() {
            return vision == null ? null : new TowerMemory(vision, config.trainVision(), precision());
        }

        /** Returns the total of the parts that the kind of training has. */
        public TrainingMemory memory(boolean reference, GradientMemory.Parts batch, Sampling sampling) {
            LoraSettings lora = config.lora();
            long frozen = FusedShape.linear(model, precision()).loadedBytes();
            long adapters = lora == null ? 0 : LoraAdapters.parameterCount(model, lora);
            TowerMemory tower = tower();
            long trained = (lora == null ? model.parameterCount() : adapters) + (tower == null ? 0 : tower.learned());
            long weights = (lora == null ? Float.BYTES * model.parameterCount() : frozen)
                    + (tower == null ? 0 : tower.weights());
            Held held = new Held(
                    weights,
                    Float.BYTES * adapters,
                    Float.BYTES * trained,
                    2 * Float.BYTES * trained,
                    reference && lora == null ? frozen : 0);
            InUse now = new InUse(ProcessMemory.residentBytes(), ProcessMemory.peakBytes());
            long written = lora == null ? 0 : LoraAdapters.mergeBytes(model, lora);
            return new TrainingMemory(now, held, batch, sampling, written);
        }

        public Precision precision() {
            return config.precision().resolve();
        }

        /** Returns the bytes that a batch's images add. */
        private long images(TowerMemory.Shown shown) {
            TowerMemory tower = tower();
            return tower == null ? 0 : tower.update(shown);
        }

        private List<List<GradientMemory.Adapters>> adapters() {
            LoraSettings lora = config.lora();
            return lora == null ? List.of() : LoraAdapters.byLayer(model, lora);
        }

        /** Returns the model's estimator of batches. Make it once for many batches: it reads the shapes of all weights. */
        GradientMemory gradient() {
            return new GradientMemory(model, precision(), adapters());
        }

        /** Returns the memory of one batch with its gradient; the logits of a row take {@code logitBytes} per token of the vocabulary. */
        public GradientMemory.Parts update(GradientMemory.Batch batch, int logitBytes, TowerMemory.Shown shown) {
            return update(gradient(), batch, logitBytes, shown);
        }

        GradientMemory.Parts update(
                GradientMemory gradient, GradientMemory.Batch batch, int logitBytes, TowerMemory.Shown shown) {
            int rows = SftBatch.logitRows(model, logitBytes, config.lora() == null);
            GradientMemory.Logits logits = new GradientMemory.Logits(logitBytes, rows);
            GradientMemory.Parts parts = config.gradientCheckpointing()
                    ? gradient.checkpointed(batch, logits)
                    : gradient.remembered(batch, logits);
            return parts.withImages(images(shown));
        }

        /**
         * Returns the memory of rollouts: a policy with adapters shares the frozen weights and copies A and B, any other policy is copied.
         *
         * @param rows responses generated together
         * @param prompts different prompts of one call
         */
        public Sampling sampling(int rows, int prompts, int longest, int maxNewTokens) {
            FusedShape decoder =
                    config.lora() == null ? FusedShape.of(model, precision()) : FusedShape.linear(model, precision());
            GenerationMemory responses = GenerationMemory.ofResponses(decoder, rows, prompts, longest, maxNewTokens);
            long low = adapters().stream()
                            .flatMap(List::stream)
                            .mapToLong(GradientMemory.Adapters::values)
                            .sum()
                    * precision().weightBytes();
            return new Sampling(config.lora() == null ? decoder.bytes() : low, responses.caches(), responses.work());
        }

        /**
         * Returns the settings that need less memory.
         *
         * @param first the first setting to lower, in words
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

    public long weights() {
        return held.weights() + held.adapters();
    }

    /** Returns the bytes of gradients and both moments. */
    public long learning() {
        return held.gradients() + held.moments();
    }

    public long reference() {
        return held.reference();
    }

    public long update() {
        return batch.bytes();
    }

    public long rollouts() {
        return sampling.bytes();
    }

    public long added() {
        return ENGINE + (long) (GAPS * (held.bytes() + Math.max(update(), Math.max(rollouts(), written))));
    }

    /** Returns the peak resident memory; null if the system does not report the current one. */
    public @Nullable Long peak() {
        Long resident = inUse.resident();
        Long highest = inUse.highest();
        return resident == null || highest == null ? null : (Long) Math.max(highest, resident + added());
    }

    /**
     * Returns the parts in megabytes, by name.
     *
     * @param done whether the training has ended, so that the measured peak is known too
     */
    public Map<String, @Nullable Object> byName(boolean done) {
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        parts.put("estimated_peak_mb", megabytes(peak()));
        parts.put("resident_mb", megabytes(inUse.resident()));
        parts.put("weights_mb", megabytes(weights()));
        parts.put("learning_mb", megabytes(learning()));
        parts.put("reference_mb", megabytes(reference()));
        parts.put("update_mb", megabytes(update()));
        parts.put("rollouts_mb", megabytes(rollouts()));
        Map<String, @Nullable Object> terms = new LinkedHashMap<>();
        List.of(held, batch, sampling)
                .forEach(of -> bytes(of).forEach((term, count) -> terms.put(term, megabytes(count))));
        terms.put("written", megabytes(written));
        parts.put("terms_mb", terms);
        if (done) {
            parts.put("peak_mb", megabytes(ProcessMemory.peakBytes()));
        }
        return parts;
    }

    /** Returns the terms of a record in bytes, by the names of its components. */
    private static Map<String, Long> bytes(Record terms) {
        Map<String, Long> byName = new LinkedHashMap<>();
        JsonRecords.tree(terms)
                .properties()
                .forEach(term -> byName.put(term.getKey(), term.getValue().longValue()));
        return byName;
    }

    private static @Nullable Long megabytes(@Nullable Long bytes) {
        return bytes == null ? null : (Long) Math.round(bytes / MEGA);
    }

    /** Returns a readable list of all terms that are not zero. */
    public String inWords() {
        Long peak = peak();
        return "the training needs about " + gigabytes(added(), " of memory: ")
                + terms(held) + "; for a batch " + gigabytes(update(), " (") + terms(batch)
                + (rollouts() == 0 ? ")" : "), or for rollouts " + gigabytes(rollouts(), " (") + terms(sampling) + ")")
                + (written == 0 ? "" : ", or to write the result " + gigabytes(written, ""))
                + (peak == null
                        ? ", in addition to memory in use"
                        : "; with what is in use " + gigabytes(peak, " at its peak"));
    }

    private static String terms(Record terms) {
        return bytes(terms).entrySet().stream()
                .filter(term -> term.getValue() > 0)
                .map(term -> gigabytes(term.getValue(), " " + term.getKey()))
                .collect(Collectors.joining(", "));
    }

    private static String gigabytes(long bytes, String of) {
        return String.format(Locale.ROOT, "%.2f GB%s", bytes / GIGA, of);
    }

    /**
     * Refuses an estimate above the free memory.
     *
     * @param free bytes
     * @param next settings to lower, by key
     * @throws PrpfException 3, naming both
     */
    public void requireWithin(long free, String next) {
        if (added() > free) {
            throw new InsufficientMemoryException(
                    inWords() + ", and " + gigabytes(free, " are free" + FreeMemory.place() + "; ") + next);
        }
    }
}
