package dev.prpf.par.training;

import dev.prpf.par.engine.Precision;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.vision.ModelPictureEncoder;
import dev.prpf.par.vision.Picture;
import dev.prpf.par.vision.VisionConfig;
import dev.prpf.par.vision.VisionMemory;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What a vision tower takes in a training, estimated; bytes.
 *
 * @param learns what of it learns
 * @param precision of its products
 */
record TowerMemory(VisionConfig config, TrainVision learns, Precision precision) {
    /** Patches of one token. */
    private static final long MERGED = (long) VisionConfig.MERGE * VisionConfig.MERGE;

    /** Values of a block's width that are kept in float32 for its backward pass: streams, norms, rotations. */
    private static final long STREAMS = 10;
    /** The same in the products' format: queries, keys, values, their rotations, what attention gives, and inputs of products. */
    private static final long PRODUCTS = 9;

    static long tokens(List<SftExample> examples) {
        return examples.stream()
                .flatMap(example -> example.pictures().stream())
                .mapToLong(TowerMemory::tokens)
                .sum();
    }

    static long tokens(Picture picture) {
        return picture.grid().tokens();
    }

    /** Tokens of the largest picture; 0 without pictures. */
    static long largest(Stream<Picture> pictures) {
        return pictures.mapToLong(TowerMemory::tokens).max().orElse(0);
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
     *
     * @param tokens of all
     * @param largest tokens of the largest
     */
    long update(long tokens, long largest) {
        if (tokens == 0) {
            return 0;
        }
        long features = 2L * Float.BYTES * tokens * config.outHiddenSize();
        if (learns == TrainVision.NONE) {
            long together = Math.max(ModelPictureEncoder.BATCHED_PATCHES, MERGED * largest);
            return features
                    + VisionMemory.of(config, precision, Math.min(together, MERGED * tokens))
                            .bytes();
        }
        long patches = MERGED * tokens;
        long pass = VisionMemory.of(config, precision, patches).bytes();
        long merger = patches * config.hiddenSize() * (2L * Float.BYTES + 3L * precision.weightBytes());
        return features + pass + merger + (learns == TrainVision.ALL ? config.depth() * patches * block() : 0);
    }

    /** Of a patch. */
    private long block() {
        long width = config.hiddenSize();
        long products = PRODUCTS * width + 2L * config.intermediateSize();
        return STREAMS * Float.BYTES * width + precision.weightBytes() * products;
    }
}
