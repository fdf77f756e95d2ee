package dev.prpf.par.training;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.IValue;
import ai.djl.pytorch.jni.JniUtils;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.MatmulKernel;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.RotaryTables;
import dev.prpf.par.engine.Script;
import dev.prpf.par.engine.ScriptShape;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.training.TrainingVision.BatchImages;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A decoder in training: all weights are trained, or adapters of frozen ones; a vision encoder may be trained too. Owns all of them. */
public final class TrainableDecoder implements AutoCloseable {
    private final @Nullable DecoderWeights weights;
    private final @Nullable CausalLm base;
    private final @Nullable LoraAdapters adapters;
    private final @Nullable IntFunction<IValue> layers;
    private final @Nullable TrainingVision vision;
    private final Map<Precision, PassWeights> passes = new EnumMap<>(Precision.class);

    private TrainableDecoder(
            @Nullable DecoderWeights weights,
            @Nullable CausalLm base,
            @Nullable LoraAdapters adapters,
            @Nullable TrainingVision vision) {
        this.weights = weights;
        this.base = base;
        this.adapters = adapters;
        layers = base == null || adapters == null ? null : adapters.layers(base);
        this.vision = vision;
        parameters().values().forEach(array -> array.setRequiresGradient(true));
    }

    /** Creates a decoder with all weights trained, in float32. */
    public static TrainableDecoder full(DecoderWeights weights) {
        return full(weights, null);
    }

    /**
     * Makes a decoder with all weights trained, in float32.
     *
     * @param vision the vision encoder in training; null without images
     */
    public static TrainableDecoder full(DecoderWeights weights, @Nullable TrainingVision vision) {
        return new TrainableDecoder(weights, null, null, vision);
    }

    /**
     * Makes a decoder with only adapters trained.
     *
     * @param base frozen, of kernel {@link dev.prpf.par.engine.MatmulKernel#LINEAR}; the sampler and the reference of a KL penalty share it
     * @param vision as for {@link #full(DecoderWeights, TrainingVision)}
     */
    public static TrainableDecoder adapted(CausalLm base, LoraAdapters adapters, @Nullable TrainingVision vision) {
        return new TrainableDecoder(null, base, adapters, vision);
    }

    /** Returns the vision encoder; null for prompts without images. */
    @Nullable
    public TrainingVision vision() {
        return vision;
    }

    /**
     * Returns the image features of a batch.
     *
     * @param learn whether to compute gradients
     */
    public BatchImages images(PtNDManager scratch, List<SftExample> examples, boolean learn) {
        List<VisionImage> shown =
                examples.stream().flatMap(example -> example.images().stream()).toList();
        if (shown.isEmpty()) {
            return BatchImages.none(scratch);
        }
        if (vision == null) {
            throw new IllegalStateException("a batch shows " + shown.size() + " images, the decoder has no vision");
        }
        return vision.see(scratch, shown, learn);
    }

    /** Returns the weights in training; fails for a decoder with adapters. */
    public DecoderWeights weights() {
        return Objects.requireNonNull(weights, "the weights under adapters are frozen");
    }

    /** Returns the frozen weights under adapters; null if all weights learn. */
    @Nullable
    public CausalLm base() {
        return base;
    }

    @Nullable
    public LoraAdapters adapters() {
        return adapters;
    }

    /** Returns the trained arrays, by name. */
    public Map<String, PtNDArray> parameters() {
        Map<String, PtNDArray> parameters =
                new LinkedHashMap<>(adapters == null ? weights().arrays() : adapters.arrays());
        LearningVision tower = tower();
        if (tower != null) {
            parameters.putAll(tower.parameters());
        }
        return parameters;
    }

    /** Returns the vision encoder that learns too; null without one. */
    @Nullable
    LearningVision tower() {
        return vision == null ? null : vision.trainable();
    }

    /** Returns the manager of the trained arrays. */
    public PtNDManager manager() {
        return adapters == null ? weights().manager() : adapters.manager();
    }

    /** Returns the weights in the form of a pass; closed with this decoder. */
    PassWeights passWeights(Precision precision) {
        requireBase(precision);
        return passes.computeIfAbsent(
                precision,
                asked -> base == null ? PassWeights.learning(weights(), asked) : PassWeights.frozen(base, layers));
    }

    private void requireBase(Precision precision) {
        if (base != null && base.shape().precision() != precision) {
            throw new IllegalArgumentException(
                    "the frozen weights are in " + base.shape().precision() + ", not in " + precision);
        }
    }

    /** Adds the gradient of a scalar loss to the gradients of its inputs. */
    public static void backward(PtNDManager scratch, PtNDArray loss) {
        try (PtNDArray one = (PtNDArray) scratch.create(1f)) {
            JniUtils.backward(loss, one, false, false);
        }
    }

    /** Returns a decoder with the current weights; close it before training resumes. Adapters are products next to the frozen weights. */
    public CausalLm decoder(Precision precision) {
        requireBase(precision);
        return base == null || layers == null ? CausalLm.of(weights(), precision) : base.with(layers);
    }

    @Override
    public void close() {
        passes.values().forEach(PassWeights::close);
        if (adapters != null) {
            adapters.close();
        }
        LearningVision tower = tower();
        if (tower != null) {
            tower.close();
        }
        if (base != null) {
            base.close();
        }
        if (weights != null) {
            weights.close();
        }
    }

    /**
     * A decoder's weights in the number format and layout that {@link DecoderPass} multiplies by.
     *
     * @param kernel the script's {@code Fused} that gives shape and kernel
     * @param embedding matrix, (V, D)
     * @param embeddingLearns whether it takes a gradient
     * @param ends creates final norm and head, the script's {@code Fused}, which the caller closes
     * @param layers creates a layer from its number, the script's {@code Layer}, which the caller closes
     * @param release frees the memory of these weights, except for the decoder's
     */
    record PassWeights(
            DecoderConfig config,
            RotaryTables rotary,
            IValue kernel,
            PtNDArray embedding,
            boolean embeddingLearns,
            Supplier<IValue> ends,
            IntFunction<IValue> layers,
            Runnable release)
            implements AutoCloseable {
        private static final Script SCRIPT = Script.decoder();

        /** Creates the weights of full training. Each use converts them again, so that a gradient belongs to one use only. */
        static PassWeights learning(DecoderWeights weights, Precision precision) {
            DecoderConfig config = weights.config();
            PtNDArray[] plain = weights.plain();
            ScriptShape shape = new ScriptShape(config);
            long type = precision.scalarType();
            IValue kernel = SCRIPT.differentiableValue(
                    "bare", TorchRuntime.anchor(), shape.value(), type, (long) config.hiddenSize());
            return new PassWeights(
                    config,
                    new RotaryTables(config, weights.manager()),
                    kernel,
                    plain[0],
                    true,
                    () -> SCRIPT.differentiableValue(
                            "fuse_ends",
                            plain[plain.length - 1],
                            plain[plain.length - 2],
                            new PtNDArray[0],
                            shape.value(),
                            type,
                            MatmulKernel.LINEAR.label()),
                    layer -> {
                        PtNDArray[] own = Arrays.copyOfRange(plain, weights.begin(layer), weights.begin(layer + 1));
                        return SCRIPT.differentiableValue("learning_layer", own, (long) layer, kernel);
                    },
                    () -> {
                        kernel.close();
                        shape.close();
                    });
        }

        /**
         * Creates frozen weights, with or without trained adapters.
         *
         * @param base the frozen decoder, which the caller closes
         * @param adapted creates each layer with adapters; null for only the frozen weights
         */
        static PassWeights frozen(CausalLm base, @Nullable IntFunction<IValue> adapted) {
            IValue fused = base.fused();
            PtNDManager manager = TorchRuntime.newManager();
            return new PassWeights(
                    base.config(),
                    base.rotary(),
                    fused,
                    SCRIPT.differentiable(manager, "embedding_of", fused),
                    false,
                    () -> SCRIPT.differentiableValue("ends", fused),
                    adapted == null
                            ? layer -> SCRIPT.differentiableValue("frozen_layer", fused, (long) layer)
                            : adapted,
                    manager::close);
        }

        @Override
        public void close() {
            release.run();
        }
    }
}
