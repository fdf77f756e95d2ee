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
 * What a vision tower takes in a training, estimated; bytes.
 *
 * @param learns what of it learns
 * @param precision of its products
 */
public record TowerMemory(VisionConfig config, TrainVision learns, Precision precision) {
    /** Patches of one token. */
    private static final long MERGED = (long) VisionConfig.MERGE * VisionConfig.MERGE;

    /** Values of a block's width that are kept in float32 for its backward pass: what goes into its two norms. */
    private static final long STREAMS = 2;
    /**
     * The same in the products' format: what comes out of both norms, queries, keys and values, queries and keys turned, what attention gives for
     * each picture and for all.
     */
    private static final long PRODUCTS = 9;

    /**
     * The pictures of one batch, in tokens.
     *
     * @param tokens of all, as often as they are shown
     * @param distinct each picture once, as it goes through the tower
     * @param largest of one picture; 0 without pictures
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

    /** The tower that the training starts from; one that learns has its master weights beside it. */
    long weights() {
        long all = config.parameterCount();
        long start = precision.weightBytes() * all;
        return learns == TrainVision.NONE ? start : start + Float.BYTES * all;
    }

    /** Values that learn. */
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

    /**
     * The pictures of one batch, with what a gradient needs of them. A frozen tower sees few of them at a time.
     */
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

    /** What learns in the products' format, and of a whole tower the patches, where that is not float32. */
    private long copies(long patches) {
        long inputs = learns == TrainVision.ALL ? patches * config.patchValues() : 0;
        return precision == Precision.FP32 ? 0 : precision.weightBytes() * (learned() + inputs);
    }

    /** Of a patch. */
    private long block() {
        long width = config.hiddenSize();
        long products = PRODUCTS * width + config.feedForwardValues();
        return STREAMS * Float.BYTES * width + precision.weightBytes() * products;
    }
}
