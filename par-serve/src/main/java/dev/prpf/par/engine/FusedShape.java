package dev.prpf.par.engine;

import dev.prpf.base.error.PrpfException.InsufficientMemoryException;
import java.util.Locale;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Computes the memory that a {@link CausalLm} will take, before it is created.
 *
 * @param precision of its matrices
 * @param kernel of its products
 */
public record FusedShape(DecoderConfig config, Precision precision, MatmulKernel kernel) {
    /** The largest ratio of loading's peak memory to the matrices: adds a layer's weights in the files' type, and one matrix in float32. */
    static final double LOADING = 1.15;

    private static final double GIGA = 1e9;

    /** Returns the shape that {@link CausalLm#of(DecoderWeights, Precision)} uses here. */
    public static FusedShape of(DecoderConfig config, Precision precision) {
        return new FusedShape(config, precision, MatmulKernel.here(precision, config.deltaNet() != null));
    }

    /** Returns a shape with the kernel of training. */
    public static FusedShape linear(DecoderConfig config, Precision precision) {
        return new FusedShape(config, precision, MatmulKernel.LINEAR);
    }

    /** Returns the bytes of an activation, including attention's keys and values. */
    public int activationBytes() {
        return kernel.activations(precision).weightBytes();
    }

    /**
     * Returns the bytes of its own weights. In float32 it shares the embedding and, unless the kernel changes the layout, all matrices without a
     * norm.
     */
    public long bytes() {
        LayerMatrices matrices = LayerMatrices.of(config);
        long embedding = (long) config.vocabularySize() * config.hiddenSize();
        if (precision == Precision.FP32) {
            return Float.BYTES * (kernel == MatmulKernel.ONEDNN_FP32 ? matrices.all() + embedding : matrices.normed());
        }
        return loadedBytes();
    }

    /** Returns the bytes of all matrices of a model read from files, which shares none with other weights. */
    public long loadedBytes() {
        long embedding = (long) config.vocabularySize() * config.hiddenSize();
        boolean sharedHead = config.tiedEmbeddings() && kernel.plain();
        return precision.weightBytes() * (LayerMatrices.of(config).all() + (sharedHead ? 1 : 2) * embedding);
    }

    /**
     * Refuses with 3 a model that does not fit into the free memory while it loads, naming the formats that would.
     *
     * @param model its directory
     * @param freeMemory free bytes, as {@link FreeMemory#bytes}
     */
    public void requireRoom(String model, LongUnaryOperator freeMemory) {
        long needed = (long) (LOADING * loadedBytes());
        long free = freeMemory.applyAsLong(needed);
        if (needed > free) {
            String fitting = Stream.of(Precision.values())
                    .map(other -> of(config, other))
                    .filter(other -> other.loadedBytes() * LOADING <= free)
                    .map(other -> String.format(
                            Locale.ROOT, "%s (%.2f GB)", other.precision.label(), other.loadedBytes() / GIGA))
                    .collect(Collectors.joining(", "));
            throw new InsufficientMemoryException(String.format(
                    Locale.ROOT,
                    "%s takes %.2f GB in %s and %.0f %% more while it loads; %.2f GB are free%s; %s",
                    model,
                    loadedBytes() / GIGA,
                    precision.label(),
                    100 * (LOADING - 1),
                    free / GIGA,
                    FreeMemory.place(),
                    fitting.isEmpty()
                            ? "no format fits: free memory there, or take a smaller model"
                            : "what fits there is " + fitting));
        }
    }
}
