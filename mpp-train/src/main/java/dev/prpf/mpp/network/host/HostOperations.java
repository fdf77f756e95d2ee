package dev.prpf.mpp.network.host;

import dev.prpf.mpp.network.definition.DropoutSite;
import dev.prpf.mpp.network.definition.Input;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.Operations;
import dev.prpf.mpp.network.definition.Size;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A definition interpreted as steps on matrices, for a batch of a fixed size. */
final class HostOperations implements Operations<Value> {
    /** Steps on fewer samples gain little from a thread of their own. */
    static final int LEAST_SAMPLES = 4;

    private final NetworkShape shape;
    private final int steps;
    private final Map<String, Value> parameters;
    private final Tape tape;
    private final Map<Input, Matrix> inputs = new EnumMap<>(Input.class);
    private final Map<DropoutSite, Matrix> dropoutMasks = new LinkedHashMap<>();

    /**
     * @param steps T
     * @param parameters by name; with gradients on a training tape
     */
    HostOperations(NetworkShape shape, int steps, Map<String, Value> parameters, Tape tape) {
        this.shape = shape;
        this.steps = steps;
        this.parameters = parameters;
        this.tape = tape;
    }

    /** The inputs that the definition has asked for. */
    Map<Input, Matrix> inputs() {
        return inputs;
    }

    /** Masks to be filled before each training pass, in the order of the definition; none for inference. */
    Map<DropoutSite, Matrix> dropoutMasks() {
        return dropoutMasks;
    }

    private Value parameter(String name) {
        return Objects.requireNonNull(parameters.get(name), () -> "no parameter " + name);
    }

    @Override
    public Value input(Input input) {
        Size size = input.size(shape, steps);
        return Value.of(inputs.computeIfAbsent(input, key -> Matrix.zeros(tape.batch() * size.rows(), size.columns())));
    }

    @Override
    public Value linear(Value x, String name, int outputs, Activation activation) {
        return Linear.append(
                tape, x, parameter(name + ".weight"), parameter(name + ".bias"), activation == Activation.RELU);
    }

    @Override
    public Value pool(Value x, Pooling pooling, @Nullable Value mask) {
        return AttentionPooling.append(tape, x, parameter(pooling.name()), pooling.scale(), mask);
    }

    @Override
    public Value tokens(String name, List<Value> parts) {
        return Tokens.append(tape, parameter(name + ".position"), parts);
    }

    @Override
    public Value attention(Value query, Value keyValue, @Nullable Value mask) {
        return Attention.append(tape, query, keyValue, mask, shape.transformer());
    }

    @Override
    public Value residualNorm(Value x, Value sublayer, String name) {
        Matrix mask = dropout(sublayer.matrix().rows(), sublayer.matrix().columns());
        return ResidualNorm.append(
                tape, List.of(x, sublayer), parameter(name + ".gain"), parameter(name + ".bias"), mask);
    }

    @Override
    public Value join(List<Value> parts) {
        int columns = parts.stream().mapToInt(part -> part.matrix().columns()).sum();
        return Join.append(tape, parts, dropout(parts.get(0).matrix().rows(), columns));
    }

    /** The mask of the next place where units are dropped; null where nothing is. */
    private @Nullable Matrix dropout(int rows, int columns) {
        if (shape.transformer().dropout() == 0 || !tape.training()) {
            return null;
        }
        Matrix mask = Matrix.zeros(rows, columns);
        dropoutMasks.put(DropoutSite.of(dropoutMasks.size(), new Size(rows / tape.batch(), columns)), mask);
        return mask;
    }

    /** What a sample's mask adds to scores before a softmax: {@link #MASKED} where it is 0; nothing where there is no mask. */
    static void bias(@Nullable Matrix mask, int sample, float[] bias) {
        if (mask == null) {
            Arrays.fill(bias, 0);
            return;
        }
        mask.read(sample, bias);
        for (int i = 0; i < bias.length; i++) {
            bias[i] = (1 - bias[i]) * (float) MASKED;
        }
    }
}
