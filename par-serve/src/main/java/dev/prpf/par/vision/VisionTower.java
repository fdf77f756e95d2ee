package dev.prpf.par.vision;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InsufficientMemoryException;
import dev.prpf.data.encode.image.VisionProcessor.VisionPatches;
import dev.prpf.par.engine.FreeMemory;
import dev.prpf.par.engine.MatmulKernel;
import dev.prpf.par.engine.NamedWeights;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Script;
import dev.prpf.par.engine.Tensors;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.engine.WeightSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A vision encoder ready for forward passes, as {@code Qwen3_5VisionModel} and {@code Qwen2_5_VisionTransformerPretrainedModel} of transformers
 * 5.23.0. It encodes patches of several images at a time; each patch attends to its own image or window. Its weights are copies, so the original
 * {@link VisionWeights} may be closed. Thread-safe.
 */
public final class VisionTower implements AutoCloseable {
    private final VisionConfig config;
    private final Precision precision;
    private final PtNDManager manager = TorchRuntime.newManager();
    private final PtNDArray[] weights;

    private VisionTower(VisionConfig config, Precision precision, WeightSource source) {
        this.config = config;
        this.precision = precision;
        List<Map.Entry<String, long[]>> slots = List.copyOf(config.slots().entrySet());
        weights = new PtNDArray[slots.size()];
        try {
            for (int i = 0; i < weights.length; i++) {
                boolean absent = slots.get(i).getValue().length == 0;
                weights[i] = absent
                        ? Tensors.create(manager, new long[] {0}, new float[0])
                        : weight(source, slots.get(i).getKey(), i);
            }
        } catch (RuntimeException e) {
            manager.close();
            throw e;
        }
    }

    private PtNDArray weight(WeightSource source, String name, long place) {
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            return Script.decoder()
                    .tensor(
                            manager,
                            "vision_weight",
                            source.read(scratch, List.of(name))[0],
                            place,
                            precision.scalarType(),
                            MatmulKernel.laysOut(precision));
        }
    }

    /** Creates a vision encoder as {@link #of(VisionWeights, Precision)}, reading one weight at a time. */
    public static VisionTower of(VisionConfig config, Precision precision, WeightSource source) {
        return new VisionTower(config, MatmulKernel.ofProducts(precision), source);
    }

    /**
     * Creates a vision encoder from the current weights. Other formats than float32 are computed in bfloat16, or in float32 on a CPU without bfloat16
     * products ({@link MatmulKernel#ofProducts}). Matrices get oneDNN's layout where its products are faster.
     */
    public static VisionTower of(VisionWeights weights, Precision precision) {
        return of(weights.config(), precision, weights);
    }

    public VisionConfig config() {
        return config;
    }

    public Precision precision() {
        return precision;
    }

    /**
     * Encodes images for a decoder.
     *
     * @param scratch manager of the result
     * @param images at least one
     * @return (tokens, D) float32, the merged patches of the first image row by row, then those of the next
     */
    public PtNDArray forward(PtNDManager scratch, List<VisionPatches> images) {
        try (PtNDManager inputs = TorchRuntime.newManager()) {
            return Script.decoder()
                    .tensor(scratch, "vision_tower", arguments(inputs, config, images, weights, precision));
        }
    }

    /**
     * Returns the arguments of the TorchScript text's {@code vision_tower} and {@code vision_states}, so that gradients may pass through them too.
     *
     * @param weights as {@link VisionWeights#plain()} lists them
     * @param precision of the products
     */
    public static Object[] arguments(
            PtNDManager owner,
            VisionConfig config,
            List<VisionPatches> images,
            PtNDArray[] weights,
            Precision precision) {
        images.forEach(image -> requireFit(config, image));
        PatchPlaces places = new PatchPlaces(config, images);
        return new Object[] {
            values(owner, config, images, places.patches()),
            places.taps(owner),
            places.shares(owner),
            places.cosines(owner),
            places.sines(owner),
            places.order(owner),
            places.lengths(),
            places.groups(),
            places.windows(),
            places.windowed(),
            weights,
            (long) config.heads(),
            precision.scalarType(),
            VisionMemory.TOGETHER
        };
    }

    private static void requireFit(VisionConfig config, VisionPatches image) {
        if (image.width() != config.patchValues()
                || image.rows() % VisionConfig.MERGE != 0
                || image.columns() % VisionConfig.MERGE != 0) {
            throw new IllegalArgumentException(image.rows() + " x " + image.columns() + " patches of "
                    + image.width() + " values; the vision encoder takes rows and columns in pairs, "
                    + config.patchValues()
                    + " values a patch");
        }
    }

    /** Returns the patches' values, (n, values of a patch). */
    private static PtNDArray values(PtNDManager owner, VisionConfig config, List<VisionPatches> images, int patches) {
        long[] shape = {patches, config.patchValues()};
        return Tensors.create(
                owner, shape, images.stream().map(VisionPatches::values).toList());
    }

    @Override
    public void close() {
        manager.close();
    }

    /** The parameters of a vision encoder. */
    public static final class VisionWeights extends NamedWeights {
        private static final double DRAWN = 0.02;

        private final VisionConfig config;
        private final PtNDArray nothing;

        public VisionWeights(VisionConfig config, PtNDManager manager) {
            super(manager);
            this.config = config;
            nothing = Tensors.create(manager, new long[] {0}, new float[0]);
        }

        /** Draws weights with libtorch for measurements of speed: fast, and without a seed. */
        public static VisionWeights drawn(VisionConfig config) {
            VisionWeights weights = new VisionWeights(config, TorchRuntime.newManager());
            weights.draw(config.parameterShapes(), DRAWN);
            return weights;
        }

        public VisionConfig config() {
            return config;
        }

        /** Returns the weights in the order of {@link VisionConfig#slots()}, for the TorchScript text; absent parameters are empty arrays. */
        public PtNDArray[] plain() {
            return config.slots().entrySet().stream()
                    .map(slot -> slot.getValue().length == 0 ? nothing : list(List.of(slot.getKey()))[0])
                    .toArray(PtNDArray[]::new);
        }
    }

    /**
     * Estimates the memory of a vision encoder's pass, without its weights. It counts the patches, the residual stream, and the largest step of
     * a block. {@code MemoryTermsTest} compares it with resident memory. No scores of all patches with all patches are kept.
     *
     * @param patches of all images of the pass
     * @param bytes of the pass
     */
    public record VisionMemory(long patches, long bytes) {
        private static final double GIGA = 1e9;
        /** Patches that a block takes at a time, except for attention. */
        public static final long TOGETHER = 1024;
        /** Most freed bytes that stay reserved, {@code benchmarks/vision/README.md}. */
        private static final long HELD_BACK = 250_000_000;

        /**
         * Estimates a pass of a vision encoder.
         *
         * @param precision of its products
         */
        public static VisionMemory of(VisionConfig config, Precision precision, long patches) {
            long activation = precision.weightBytes();
            long width = config.hiddenSize();
            long together = Math.min(patches, TOGETHER);
            boolean copied = precision != Precision.FP32;
            // the patches again in the order of windows, and in the format of the products
            long embedding =
                    ((config.windowSize() > 0 ? Float.BYTES : 0) + (copied ? activation : 0)) * config.patchValues();
            // queries and keys before and after they are joined, and values
            long joining = 5 * activation * width;
            // rotation of the last patches: queries, keys and values, shifted queries and keys, float32 products and
            // sums
            long shifted = 2 * activation + (copied ? 2L * Float.BYTES : 0);
            long turning = 3 * activation * width * (patches - together)
                    + (3 * activation + shifted + 2L * 2 * Float.BYTES) * width * together;
            // result of attention, new stream, norm and feed-forward layer of the last patches
            long feedForward = (activation + Float.BYTES) * width * patches
                    + activation * (width + config.feedForwardValues()) * together;
            long most = Math.max(Math.max(embedding, joining) * patches, Math.max(turning, feedForward));
            return new VisionMemory(patches, Math.addExact(held(config, patches), most));
        }

        /** Returns the bytes held during a whole pass: the patches, the residual stream, and two tables of rotations. */
        public static long held(VisionConfig config, long patches) {
            long values = (long) config.patchValues() + config.hiddenSize() + 2L * config.headDim();
            return Math.multiplyExact(Float.BYTES * values, patches);
        }

        /** Returns the peak bytes: the allocator may keep freed memory, up to twice as much again. */
        long peak() {
            return Math.addExact(bytes, Math.min(2 * bytes, HELD_BACK));
        }

        /** @throws PrpfException 3, naming both, if it does not fit into the free bytes */
        public void requireWithin(long free) {
            long peak = peak();
            if (peak > free) {
                throw new InsufficientMemoryException(String.format(
                        Locale.ROOT,
                        "seeing an image of %d patches needs about %.2f GB of memory and %.2f GB are free%s; lower"
                                + " max-visual-tokens, or take bf16",
                        patches,
                        peak / GIGA,
                        free / GIGA,
                        FreeMemory.place()));
            }
        }
    }
}
