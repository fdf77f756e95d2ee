package dev.prpf.mpp.network.definition;

import dev.prpf.mpp.network.definition.Operations.Input;
import dev.prpf.mpp.network.definition.Operations.Size;
import dev.prpf.mpp.network.definition.PerceiverDefinition.Fast;
import dev.prpf.mpp.network.definition.PerceiverDefinition.Slow;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lists the parameters of a network and counts its floating-point operations, by interpreting the definition on sizes. Operations: two per
 * multiply-accumulate of a matrix product, none for the rest, by convention.
 */
public final class NetworkSummary implements Operations<Size> {
    private final NetworkShape shape;
    private final int steps;
    private final Map<String, Parameter> parameters = new LinkedHashMap<>();
    private long flops;

    private NetworkSummary(NetworkShape shape, int steps) {
        this.shape = shape;
        this.steps = steps;
    }

    /** Summarises the whole network on one sample of T steps. */
    public static NetworkSummary of(NetworkShape shape, int steps) {
        return of(shape, steps, PerceiverDefinition::outputs);
    }

    /** Summarises a part of the network on one sample of T steps. */
    static NetworkSummary of(NetworkShape shape, int steps, Consumer<PerceiverDefinition<Size>> part) {
        NetworkSummary summary = new NetworkSummary(shape, steps);
        part.accept(new PerceiverDefinition<>(shape, summary));
        return summary;
    }

    /**
     * Lists all trainable arrays in the order of a model file's coefficients. The body's weights come first, then its other arrays, then
     * weight and bias of the last linear layer of trigger and scenarios. Within a group, arrays are in the order of the definition.
     */
    public List<Parameter> parameters() {
        return Stream.concat(body().stream(), parameters.values().stream().filter(NetworkSummary::isOfLogits))
                .toList();
    }

    /** Lists the trainable arrays of {@link PerceiverDefinition#hidden}, which come first in {@link #parameters}. */
    public List<Parameter> body() {
        return parameters.values().stream()
                .filter(parameter -> !isOfLogits(parameter))
                .sorted(Comparator.comparing(parameter -> parameter.kind() != Parameter.Kind.WEIGHT))
                .toList();
    }

    private static boolean isOfLogits(Parameter parameter) {
        return parameter.name().startsWith(PerceiverDefinition.TRIGGER_LOGITS)
                || parameter.name().startsWith(PerceiverDefinition.SCENARIO_LOGITS);
    }

    /** Floating-point operations of one sample, forward; includes padding; a backward pass takes twice as many. */
    public long flops() {
        return flops;
    }

    /** Operations of a new step when streaming: its projections. */
    public static long flopsOfStep(NetworkShape shape) {
        Size step = new Size(1, shape.stepWidth());
        return shape.fast() ? of(shape, 1, definition -> definition.recentTokens(step)).flops : 0;
    }

    /** Operations of logits when streaming, from projected texts and at most the last {@code steps} projected steps. */
    public static long flopsOfAnswer(NetworkShape shape, int steps) {
        int seen = Math.min(steps, shape.window().maxSteps());
        Size context = new Size(NetworkShape.CONTEXT, shape.transformer().dimension());
        Size recent = new Size(shape.window().recentSteps(), shape.transformer().dimension());
        Slow<Size> slow = new Slow<>(context, Input.FRAMES.size(shape, seen), Input.FRAME_MASK.size(shape, seen));
        Fast<Size> fast = new Fast<>(recent, Input.RECENT_MASK.size(shape, seen));
        return of(shape, seen, definition -> definition.outputs(shape.slow() ? slow : null, shape.fast() ? fast : null))
                .flops;
    }

    private void parameter(String name, Parameter.Kind kind, long... size) {
        parameters.putIfAbsent(name, new Parameter(name, size, kind));
    }

    private void product(long rows, long inner, long columns) {
        flops += 2 * rows * inner * columns;
    }

    @Override
    public Size input(Input input) {
        return input.size(shape, steps);
    }

    @Override
    public Size linear(Size x, String name, int outputs, Activation activation) {
        parameter(name + ".weight", Parameter.Kind.WEIGHT, outputs, x.columns());
        parameter(name + ".bias", Parameter.Kind.BIAS, outputs);
        product(x.rows(), x.columns(), outputs);
        return new Size(x.rows(), outputs);
    }

    @Override
    public Size pool(Size x, Pooling pooling, @Nullable Size mask) {
        parameter(pooling.name(), Parameter.Kind.QUERY, pooling.queries(), x.columns());
        product(x.rows(), x.columns(), 2L * pooling.queries()); // scores, then sums
        return new Size(pooling.queries(), x.columns());
    }

    @Override
    public Size tokens(String name, List<Size> parts) {
        Size tokens =
                new Size(parts.stream().mapToInt(Size::rows).sum(), parts.get(0).columns());
        parameter(name + ".position", Parameter.Kind.POSITION, tokens.rows(), tokens.columns());
        return tokens;
    }

    @Override
    public Size attention(Size query, Size keyValue, @Nullable Size mask) {
        int d = shape.transformer().dimension();
        product(query.rows(), d, 2L * keyValue.rows()); // scores, then sums
        return new Size(query.rows(), d);
    }

    @Override
    public Size residualNorm(Size x, Size sublayer, String name) {
        parameter(name + ".gain", Parameter.Kind.GAIN, x.columns());
        parameter(name + ".bias", Parameter.Kind.BIAS, x.columns());
        return x;
    }

    @Override
    public Size join(List<Size> parts) {
        return new Size(
                parts.get(0).rows(), parts.stream().mapToInt(Size::columns).sum());
    }

    /**
     * A trainable array, row-major.
     *
     * @param name within the network
     * @param shape (outputs, inputs) of a weight, (rows, width) of queries and positions, (width) of the others
     * @param kind role of the array
     */
    public record Parameter(String name, long[] shape, Kind kind) {
        private static final double POSITION_SCALE = 0.02;

        /** The role of a parameter; AdamW decays weights only. */
        public enum Kind {
            WEIGHT,
            BIAS,
            GAIN,
            QUERY,
            POSITION
        }

        public int length() {
            return Math.toIntExact(Arrays.stream(shape).reduce(1, Math::multiplyExact));
        }

        /**
         * Returns the initial values: Xavier-uniform weights and queries, small uniform positions, gains of one, biases of zero. Each array has a
         * random stream of its own, seeded by name, so that switching a channel off does not change the other's values.
         */
        public float[] initial(long seed) {
            float[] values = new float[length()];
            double scale =
                    switch (kind) {
                        case WEIGHT, QUERY -> Math.sqrt(6.0 / (shape[0] + shape[1]));
                        case POSITION -> POSITION_SCALE;
                        case BIAS, GAIN -> 0;
                    };
            SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + name.hashCode());
            for (int i = 0; i < values.length; i++) {
                values[i] = kind == Kind.GAIN ? 1 : (float) ((2 * random.nextDouble() - 1) * scale);
            }
            return values;
        }
    }
}
