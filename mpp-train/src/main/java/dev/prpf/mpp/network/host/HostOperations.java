package dev.prpf.mpp.network.host;

import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.Operations;
import dev.prpf.mpp.network.definition.Operations.DropoutSite;
import dev.prpf.mpp.network.definition.Operations.Input;
import dev.prpf.mpp.network.definition.Operations.Size;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Builds a network as steps on matrices from its definition, for a fixed batch size on the processor.
 *
 * @param parameters by name; with gradients on a training tape
 * @param dropoutMasks filled before each training pass, in the order of the definition; empty for inference
 */
record HostOperations(
        NetworkShape shape,
        int steps,
        Map<String, Value> parameters,
        Tape tape,
        Map<Input, Matrix> inputs,
        Map<DropoutSite, Matrix> dropoutMasks)
        implements Operations<Value> {
    HostOperations(NetworkShape shape, int steps, Map<String, Value> parameters, Tape tape) {
        this(shape, steps, parameters, tape, new EnumMap<>(Input.class), new LinkedHashMap<>());
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
        return Attention.pooling(tape, x, parameter(pooling.name()), pooling.scale(), mask);
    }

    @Override
    public Value tokens(String name, List<Value> parts) {
        return Tokens.append(tape, parts, parameter(name + ".position"), null);
    }

    @Override
    public Value attention(Value query, Value keyValue, @Nullable Value mask) {
        return Attention.multiHead(tape, query, keyValue, mask, shape.transformer());
    }

    @Override
    public Value residualNorm(Value x, Value sublayer, String name) {
        Matrix mask = dropout(sublayer.matrix().rows(), sublayer.matrix().columns());
        return ResidualNorm.append(
                tape, List.of(x, sublayer), parameter(name + ".gain"), parameter(name + ".bias"), mask);
    }

    /** Joins one row per sample of each part: tokens, reshaped to one row. */
    @Override
    public Value join(List<Value> parts) {
        int columns = parts.get(0).matrix().columns();
        Matrix mask = dropout(tape.batch(), parts.size() * columns);
        Value tokens = Tokens.append(tape, parts, null, mask == null ? null : mask.reshaped(columns));
        return tokens.reshaped(parts.size() * columns);
    }

    /** Returns the mask of the next dropout site; null without dropout. */
    private @Nullable Matrix dropout(int rows, int columns) {
        if (shape.transformer().dropout() == 0 || !tape.training()) {
            return null;
        }
        Matrix mask = Matrix.zeros(rows, columns);
        dropoutMasks.put(DropoutSite.of(dropoutMasks.size(), new Size(rows / tape.batch(), columns)), mask);
        return mask;
    }
}
