package dev.prpf.par.engine;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.IValue;
import dev.prpf.base.error.InsufficientMemoryException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.SafeTensors;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * A decoder ready to run forward. Its weights are fused copies (query, key and value in one matrix, gate and up in one), so the {@link
 * DecoderWeights} it was made from may be closed. May be used by several threads at once.
 */
public final class Decoder implements AutoCloseable {
    static final PtNDArray[] NO_ARRAYS = {};

    private final DecoderConfig config;
    private final Precision precision;
    private final MatmulKernel kernel;
    private final PtNDManager manager;
    private final IValue fused;
    private final RotaryTables rotary;

    private Decoder(DecoderWeights weights, Precision precision, MatmulKernel kernel) {
        config = weights.config();
        this.precision = precision;
        this.kernel = kernel;
        long activations = kernel.activations(precision).scalarType();
        fused = DecoderScript.get()
                .value("fuse", weights.plain(), config.dims(), config.normEpsilon(), activations, kernel.code());
        manager = TorchRuntime.newManager();
        rotary = new RotaryTables(config, manager);
    }

    /** A decoder of the weights as they are now, with the matmul kernel that is fastest on this machine for the precision. */
    public static Decoder of(DecoderWeights weights, Precision precision) {
        return of(
                weights,
                precision,
                MatmulKernel.here(precision, weights.config().deltaNet() != null));
    }

    /** The same with a chosen kernel. */
    static Decoder of(DecoderWeights weights, Precision precision, MatmulKernel kernel) {
        return new Decoder(weights, precision, kernel);
    }

    public DecoderConfig config() {
        return config;
    }

    public Precision precision() {
        return precision;
    }

    /** The label of the matmul kernel. */
    public String kernel() {
        return kernel.label();
    }

    /** Bytes of an activation, attention's keys and values among them. */
    public int activationBytes() {
        return kernel.activations(precision).weightBytes();
    }

    /**
     * Logits of the next token at every position.
     *
     * @param ids one sequence, T tokens
     * @return (T, V)
     */
    public float[][] logits(long[] ids) {
        checkIds(ids, "the sequence");
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            PtNDArray logits = forward(scratch, "logits", ids);
            return rows(logits.toFloatArray(), ids.length, config.vocabularySize());
        }
    }

    /**
     * As {@link #logits}, outside the heap.
     *
     * @param taker gets them as a tensor of float32, (T, V), whose memory is gone when it returns
     * @throws PrpfException 3 where they would not fit, 65 where they are no numbers
     */
    public void logits(long[] ids, Consumer<SafeTensors.Tensor> taker) {
        checkIds(ids, "the sequence");
        requireRoom((long) ids.length * config.vocabularySize() * Float.BYTES, FreeMemory.bytes());
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            PtNDArray logits = forward(scratch, "logits", ids);
            if (logits.isNaN().any().getBoolean()) {
                throw noNumbers();
            }
            PtNDArray rows = (PtNDArray) logits.reshape(ids.length, config.vocabularySize());
            taker.accept(Tensors.float32(rows));
        }
    }

    /** Said of logits with a NaN. */
    public static PrpfException noNumbers() {
        return new InvalidDataException(
                "the model's logits are no numbers (NaN); its weights are broken, or its activations overflowed",
                new ArithmeticException("NaN"));
    }

    /** What one buffer holds ends at 2^31 bytes. */
    static void requireRoom(long bytes, long free) {
        if (bytes > Math.min(free, Integer.MAX_VALUE)) {
            throw new InsufficientMemoryException(String.format(
                    Locale.ROOT,
                    "the logits take %.2f GB; %.2f GB are free and at most %.2f GB can be handed over at once: give"
                            + " fewer tokens",
                    bytes / 1e9,
                    free / 1e9,
                    Integer.MAX_VALUE / 1e9));
        }
    }

    /**
     * The embedding, then every layer's output, the last one after the final norm.
     *
     * @param ids one sequence, T tokens
     * @return layers + 1 arrays of T * D values, row-major
     */
    public float[][] hiddenStates(long[] ids) {
        checkIds(ids, "the sequence");
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            PtNDArray[] states = DecoderScript.get().tensors(scratch, "hidden_states", forwardArguments(scratch, ids));
            return Arrays.stream(states).map(PtNDArray::toFloatArray).toArray(float[][]::new);
        }
    }

    /**
     * Log-probability of each token given those before it.
     *
     * @param ids one sequence, T tokens
     * @return T - 1 values, for the second token on
     */
    public float[] logProbabilities(long[] ids) {
        float[][] logits = logits(ids);
        float[] result = new float[ids.length - 1];
        for (int t = 0; t < result.length; t++) {
            result[t] = (float) (logits[t][(int) ids[t + 1]] - logSumExp(logits[t]));
        }
        return result;
    }

    private static double logSumExp(float[] values) {
        double max = Double.NEGATIVE_INFINITY;
        for (float value : values) {
            max = Math.max(max, value);
        }
        double sum = 0;
        for (float value : values) {
            sum += Math.exp(value - max);
        }
        return max + Math.log(sum);
    }

    private PtNDArray forward(PtNDManager scratch, String method, long[] ids) {
        return DecoderScript.get().tensor(scratch, method, forwardArguments(scratch, ids));
    }

    private Object[] forwardArguments(PtNDManager scratch, long[] ids) {
        PtNDArray batch = longs(scratch, ids, 1, ids.length);
        PtNDArray positions = longs(scratch, RotaryTables.positions(ids.length), 1, ids.length);
        RotaryTables.Pair tables = rotary.upTo(ids.length);
        return new Object[] {
            batch, positions, fused, tables.cosines(), tables.sines(), NO_ARRAYS, config.dims(), config.normEpsilon()
        };
    }

    /** Refuses ids outside the vocabulary (libtorch would read foreign memory) and sequences beyond the trained positions. */
    public void checkIds(long[] ids, String what) {
        if (ids.length == 0 || ids.length > config.maxPositions()) {
            throw new InvalidDataException(
                    what + " has " + ids.length + " tokens; the model takes 1 to " + config.maxPositions());
        }
        for (long id : ids) {
            if (id < 0 || id >= config.vocabularySize()) {
                throw new InvalidDataException(
                        what + " holds token " + id + "; the vocabulary ends at " + (config.vocabularySize() - 1));
            }
        }
    }

    IValue fused() {
        return fused;
    }

    RotaryTables rotary() {
        return rotary;
    }

    public static PtNDArray longs(PtNDManager owner, long[] values, long... shape) {
        return (PtNDArray) owner.create(values, new Shape(shape));
    }

    private static float[][] rows(float[] values, int rows, int width) {
        float[][] result = new float[rows][];
        for (int i = 0; i < rows; i++) {
            result[i] = Arrays.copyOfRange(values, i * width, (i + 1) * width);
        }
        return result;
    }

    @Override
    public void close() {
        fused.close();
        manager.close();
    }
}
