package dev.prpf.par.training;

import dev.prpf.par.engine.Precision;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.vision.ModelPictureEncoder;
import dev.prpf.par.vision.Picture;
import dev.prpf.par.vision.VisionConfig;
import dev.prpf.par.vision.VisionMemory;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * The estimated memory of a vision encoder in a training, in bytes.
 *
 * @param learns trained part
 * @param precision of its products
 */
public record TowerMemory(VisionConfig config, TrainVision learns, Precision precision) {
    /** Number of patches of one token. */
    private static final long MERGED = (long) VisionConfig.MERGE * VisionConfig.MERGE;

    /** Values of a block's width kept in float32 for its backward pass: the inputs of its two norms. */
    private static final long STREAMS = 2;
    /**
     * Values of a block's width kept in the products' format. They are both norms' outputs, queries, keys and values, rotated queries and keys, and
     * attention's output per image and for all.
     */
    private static final long PRODUCTS = 9;

    /**
     * The images of one batch, in tokens.
     *
     * @param tokens of all, counted for each use
     * @param distinct tokens of the distinct images, as encoded
     * @param largest tokens of the largest image; 0 without images
     */
    public record Shown(long tokens, long distinct, long largest) {
        static Shown of(List<SftExample> batch) {
            List<Picture> all = batch.stream()
                    .flatMap(example -> example.pictures().stream())
                    .toList();
            Map<String, Picture> distinct = new HashMap<>();
            all.forEach(picture -> distinct.put(picture.key(), picture));
            return new Shown(
                    tokens(all).sum(),
                    tokens(distinct.values()).sum(),
                    tokens(all).max().orElse(0));
        }

        private static LongStream tokens(Collection<Picture> pictures) {
            return pictures.stream().mapToLong(picture -> picture.grid().tokens());
        }
    }

    /** Returns the bytes of the weights: those before the training, and the master weights of trained ones. */
    long weights() {
        long all = config.parameterCount();
        long start = precision.weightBytes() * all;
        return learns == TrainVision.NONE ? start : start + Float.BYTES * all;
    }

    /** Returns the number of trained values. */
    long learned() {
        return switch (learns) {
            case NONE -> 0;
            case ALL -> config.parameterCount();
            case MERGER ->
                config.parameterShapes().entrySet().stream()
                        .filter(entry -> VisionConfig.ofMerger(entry.getKey()))
                        .map(Map.Entry::getValue)
                        .mapToLong(shape -> Arrays.stream(shape).reduce(1, Math::multiplyExact))
                        .sum();
        };
    }

    /** Returns the memory of one batch's images with their gradients. A frozen vision encoder encodes few of them at a time. */
    long update(Shown shown) {
        if (shown.tokens() == 0) {
            return 0;
        }
        long features = 2L * Float.BYTES * shown.tokens() * config.outHiddenSize();
        long patches = MERGED * shown.distinct();
        if (learns == TrainVision.NONE) {
            long together = Math.max(ModelPictureEncoder.BATCHED_PATCHES, MERGED * shown.largest());
            return features
                    + VisionMemory.of(config, precision, Math.min(together, patches))
                            .bytes();
        }
        long pass = VisionMemory.of(config, precision, patches).bytes();
        long merger = patches * config.hiddenSize() * (2L * Float.BYTES + 3L * precision.weightBytes());
        long blocks = learns == TrainVision.ALL ? config.depth() * patches * block() : 0;
        return features + pass + merger + blocks + copies(patches);
    }

    /** Returns the bytes of low-precision copies of trained weights (and of patches, if the whole encoder is trained); 0 in float32. */
    private long copies(long patches) {
        long inputs = learns == TrainVision.ALL ? patches * config.patchValues() : 0;
        return precision == Precision.FP32 ? 0 : precision.weightBytes() * (learned() + inputs);
    }

    /** Returns the bytes of a block's activations for one patch. */
    private long block() {
        long width = config.hiddenSize();
        long products = PRODUCTS * width + config.feedForwardValues();
        return STREAMS * Float.BYTES * width + precision.weightBytes() * products;
    }
}
