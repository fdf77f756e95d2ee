package dev.prpf.par.engine;

import dev.prpf.base.config.Rule;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.DoubleSupplier;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.QRDecomposition;
import org.apache.commons.math3.linear.RealMatrix;

/** Creates random initial weights of a new model: normal matrices, norms of one. */
public final class ModelInit {
    /**
     * The size of random initial weights.
     *
     * @param range standard deviation ({@code initializer_range} of Hugging Face); about 1/sqrt(D) keeps the layers' outputs of like size
     * @param copyingGain 0 for purely random weights. Above 0, attention copies attended embeddings, times this gain, into the residual stream. The
     *     output projection is the transpose of the value projection, which is orthogonal. See "Mimetic Initialization of Self-Attention Layers"
     *     (Trockman and Kolter 2023, there with noise and for images). The gain also scales the feed-forward output, so that a token's own embedding is
     *     not drowned. A new model then learns to copy from its prompt by learning only where to attend
     */
    public record Scale(double range, double copyingGain) {
        public Scale {
            require(range, copyingGain);
        }

        /** Refuses settings outside their range, by their names in {@code reasoner init}'s configuration. */
        public static void require(double range, double copyingGain) {
            Rule.require(range > 0 && range <= 1, "initializer-range", range, "in (0, 1]");
            Rule.require(copyingGain >= 0 && copyingGain <= 1, "copying-gain", copyingGain, "in [0, 1]");
        }

        /** Returns purely random weights with the standard deviation of GPT-2. */
        public static Scale gpt2() {
            return new Scale(0.02, 0);
        }
    }

    private static final double MAX_DECAY = 16;
    /** The output of an output gate before training: a sigmoid near 0. */
    private static final double OPEN = 0.5;

    private static final String VALUE = "v_proj.weight";
    private static final String OUTPUT = "o_proj.weight";
    private static final String FEED_FORWARD_OUTPUT = "down_proj.weight";

    private final DecoderConfig config;
    private final Scale scale;
    private final Random random;

    private ModelInit(DecoderConfig config, Scale scale, long seed) {
        this.config = config;
        this.scale = scale;
        this.random = new Random(seed);
    }

    /** Creates weights with GPT-2's scale. */
    public static DecoderWeights random(DecoderConfig config, long seed) {
        return random(config, Scale.gpt2(), seed);
    }

    /**
     * Creates new random weights.
     *
     * @param config the shape
     * @param scale of the random values
     * @param seed the same seed gives the same bytes, on every machine
     */
    public static DecoderWeights random(DecoderConfig config, Scale scale, long seed) {
        Map<String, float[]> values = new ModelInit(config, scale, seed).values();
        DecoderWeights weights = new DecoderWeights(config, TorchRuntime.newManager());
        config.parameterShapes()
                .forEach((name, shape) -> weights.put(
                        name,
                        Tensors.create(
                                weights.manager(), shape, java.util.Objects.requireNonNull(values.get(name), name))));
        return weights;
    }

    /**
     * Creates weights with libtorch's random numbers, for measurements of speed: fast, and without a seed.
     *
     * @param config the shape
     */
    public static DecoderWeights drawn(DecoderConfig config) {
        DecoderWeights weights = new DecoderWeights(config, TorchRuntime.newManager());
        weights.draw(config.parameterShapes(), Scale.gpt2().range());
        return weights;
    }

    private Map<String, float[]> values() {
        Map<String, float[]> values = new LinkedHashMap<>();
        config.parameterShapes().forEach((name, shape) -> {
            float[] array = new float[Math.toIntExact(Arrays.stream(shape).reduce(1, Math::multiplyExact))];
            if (name.endsWith("A_log")) {
                // logarithms of decays between 0 and 16, as in the reference implementation
                fill(array, () -> Math.log(MAX_DECAY * (1 - random.nextDouble())));
            } else if (shape.length == 1) {
                Arrays.fill(array, vector(name));
            } else {
                boolean scaled = name.endsWith(FEED_FORWARD_OUTPUT) && scale.copyingGain() > 0;
                double range = scaled ? scale.range() * scale.copyingGain() : scale.range();
                fill(array, () -> random.nextGaussian() * range);
            }
            values.put(name, array);
        });
        if (scale.copyingGain() > 0) {
            values.keySet().stream()
                    .filter(name -> name.endsWith(VALUE))
                    .toList()
                    .forEach(name -> copying(name, values));
        }
        return values;
    }

    /** Returns zero for biases, and the value of a norm that multiplies by one, in its family's form. */
    private float vector(String name) {
        if (name.endsWith(".bias")) {
            return 0;
        }
        boolean storedAsItIs = name.endsWith("linear_attn.norm.weight") || name.endsWith("dt_bias");
        return storedAsItIs ? 1 : 1 - config.family().normOffset();
    }

    private static void fill(float[] values, DoubleSupplier draw) {
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) draw.getAsDouble();
        }
    }

    /** Replaces a value projection (K * H, D) and the output projection (D, N * H) that follows it. */
    private void copying(String value, Map<String, float[]> values) {
        AttentionShape shape = config.attention();
        int width = config.hiddenSize();
        int keyValue = shape.keyValueHeads() * shape.headDim();
        int groups = shape.heads() / shape.keyValueHeads();
        double size = scale.range() * Math.sqrt(width);
        double gain = scale.copyingGain() * (config.family().outputGate() ? 1 / OPEN : 1);
        RealMatrix directions = orthonormal(keyValue, width);
        float[] projection = new float[keyValue * width];
        float[] back = new float[width * keyValue * groups];
        for (int row = 0; row < keyValue; row++) {
            int keyValueHead = row / shape.headDim();
            int within = row % shape.headDim();
            for (int d = 0; d < width; d++) {
                double direction = directions.getEntry(row, d);
                projection[row * width + d] = (float) (direction * size);
                for (int g = 0; g < groups; g++) {
                    int column = (keyValueHead * groups + g) * shape.headDim() + within;
                    back[d * keyValue * groups + column] = (float) (direction * gain / size / groups);
                }
            }
        }
        values.put(value, projection);
        values.put(value.replace(VALUE, OUTPUT), back);
    }

    /** Returns orthonormal rows; if there are more rows than columns, orthonormal columns. */
    private RealMatrix orthonormal(int rows, int columns) {
        RealMatrix normal = new Array2DRowRealMatrix(Math.max(rows, columns), Math.min(rows, columns));
        for (int i = 0; i < normal.getRowDimension(); i++) {
            for (int j = 0; j < normal.getColumnDimension(); j++) {
                normal.setEntry(i, j, random.nextGaussian());
            }
        }
        RealMatrix q = new QRDecomposition(normal)
                .getQ()
                .getSubMatrix(0, normal.getRowDimension() - 1, 0, normal.getColumnDimension() - 1);
        return rows <= columns ? q.transpose() : q;
    }
}
