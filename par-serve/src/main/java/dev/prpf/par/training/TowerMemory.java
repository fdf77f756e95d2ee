package dev.prpf.par.training;

import dev.prpf.par.engine.Precision;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.training.TrainingConfig.TrainVision;
import dev.prpf.par.vision.ModelVisionEncoder;
import dev.prpf.par.vision.VisionConfig;
import dev.prpf.par.vision.VisionTower.VisionMemory;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.LongStream;

/**
 * Estimates the memory of a vision encoder in a training, in bytes.
 *
 * @param learns trained part
 * @param precision of its products
 */
public record TowerMemory(VisionConfig config, TrainVision learns, Precision precision) {
    /** Number of patches of one token. */
    private static final long MERGED = (long) VisionConfig.MERGE * VisionConfig.MERGE;

    private static final int NORMS = 2;
    /**
     * Values per width that a block keeps for its backward pass in the format of the products. They are the outputs of both norms, rotated queries and
     * keys, values, and attention's output per image and joined.
     */
    private static final long PRODUCTS = 7;
    /** Values per width that the merger keeps: the inputs of both products and of the GELU. */
    private static final long MERGER_PRODUCTS = 3;

    /**
     * The images of one batch, in tokens.
     *
     * @param tokens of all, counted for each use
     * @param distinct tokens of the distinct images, as encoded
     * @param largest tokens of the largest image; 0 without images
     */
    public record Shown(long tokens, long distinct, long largest) {
        static Shown of(List<SftExample> batch) {
            List<VisionImage> all =
                    batch.stream().flatMap(example -> example.images().stream()).toList();
            Map<String, VisionImage> distinct = new HashMap<>();
            all.forEach(image -> distinct.put(image.key(), image));
            return new Shown(
                    tokens(all).sum(),
                    tokens(distinct.values()).sum(),
                    tokens(all).max().orElse(0));
        }

        private static LongStream tokens(Collection<VisionImage> images) {
            return images.stream().mapToLong(image -> image.grid().tokens());
        }
    }

    /** Returns the bytes of the weights: those before the training, and the master weights of trained ones. */
    long weights() {
        long all = config.parameterCount();
        long start = precision.weightBytes() * all;
        return learns == TrainVision.NONE ? start : start + Float.BYTES * all;
    }

    long learned() {
        return switch (learns) {
            case NONE -> 0;
            case ALL -> config.parameterCount();
            case MERGER -> values(VisionConfig::ofMerger);
        };
    }

    private long values(Predicate<String> names) {
        return config.parameterShapes().entrySet().stream()
                .filter(entry -> names.test(entry.getKey()))
                .map(Map.Entry::getValue)
                .mapToLong(shape -> Arrays.stream(shape).reduce(1, Math::multiplyExact))
                .sum();
    }

    /**
     * Estimates the images of one batch and their gradient: features, and the larger of a pass and of what a trained encoder keeps after it. A frozen
     * encoder encodes few images at a time.
     */
    long update(Shown shown) {
        if (shown.tokens() == 0) {
            return 0;
        }
        long features = 2L * Float.BYTES * shown.tokens() * config.outHiddenSize();
        long patches = MERGED * shown.distinct();
        long frozen = Math.max(ModelVisionEncoder.BATCHED_PATCHES, MERGED * shown.largest());
        long together = learns == TrainVision.NONE ? Math.min(frozen, patches) : patches;
        return features
                + Math.max(
                        kept(patches),
                        VisionMemory.of(config, precision, together).bytes());
    }

    /**
     * Estimates the memory between a pass and its backward pass: what the pass held, and the activations of the trained parts. The gradient of the
     * merger's larger matrix is the first to come on top.
     */
    private long kept(long patches) {
        if (learns == TrainVision.NONE) {
            return 0;
        }
        long width = config.hiddenSize();
        long gradient = precision.weightBytes() * MERGED * width * MERGED * width;
        long scaled = (config.normValues() - 1L) * Float.BYTES;
        long merger = (scaled + precision.weightBytes() * MERGER_PRODUCTS) * width * patches + gradient;
        long blocks = learns == TrainVision.ALL ? config.depth() * patches * block() : 0;
        return VisionMemory.held(config, patches) + merger + blocks + copies(patches);
    }

    /**
     * Estimates the copies kept for the backward pass. Trained weights are copied into the format of the products, those of a block once for every
     * {@link VisionMemory#TOGETHER} patches. A whole trained encoder also copies the patches into that format, or into the order of its windows.
     */
    private long copies(long patches) {
        boolean whole = learns == TrainVision.ALL;
        boolean narrow = precision != Precision.FP32;
        long parts = (patches + VisionMemory.TOGETHER - 1) / VisionMemory.TOGETHER;
        long weights = learned() + (whole ? (parts - 1) * values(VisionConfig::ofBlock) : 0);
        long inputs = whole && (narrow || config.windowSize() > 0) ? patches * config.patchValues() : 0;
        return precision.weightBytes() * (inputs + (narrow ? weights : 0));
    }

    /** Returns the bytes of a patch that a block keeps for its backward pass. */
    private long block() {
        long width = config.hiddenSize();
        long products = PRODUCTS * width + config.feedForwardValues();
        return (long) NORMS * config.normValues() * Float.BYTES * width + precision.weightBytes() * products;
    }
}
