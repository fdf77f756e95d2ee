package dev.prpf.mpp.network.host;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** z = m [p | q | …]: parts side by side, m a dropout mask. */
final class Join {
    private final List<Value> parts;
    private final @Nullable Matrix mask;
    private final Value z;

    private Join(Tape tape, List<Value> parts, @Nullable Matrix mask) {
        this.parts = parts;
        this.mask = mask;
        z = tape.value(
                parts.get(0).matrix().rows(),
                parts.stream().mapToInt(part -> part.matrix().columns()).sum());
    }

    static Value append(Tape tape, List<Value> parts, @Nullable Matrix mask) {
        Join join = new Join(tape, parts, mask);
        tape.forward(List.of(join::forward), join.z, parts);
        tape.later(() -> join.appendBackward(tape));
        return join.z;
    }

    private void forward() {
        int column = 0;
        for (Value part : parts) {
            float[] row = new float[part.matrix().columns()];
            for (int i = 0; i < part.matrix().rows(); i++) {
                part.matrix().read(i, row);
                drop(i, column, row);
                z.matrix().write(i, column, row);
            }
            column += row.length;
        }
    }

    private void drop(int row, int column, float[] values) {
        if (mask != null) {
            float[] kept = new float[values.length];
            mask.read(row, column, kept);
            RowMath.multiply(values, kept, values);
        }
    }

    private void appendBackward(Tape tape) {
        List<Boolean> adds = parts.stream().map(Value::contribute).toList();
        List<Matrix> gradients = new ArrayList<>();
        parts.forEach(part -> gradients.add(part.gradient()));
        tape.backward(List.of(() -> backward(gradients, adds)), List.of(z.gradient()), gradients);
    }

    private void backward(List<Matrix> gradients, List<Boolean> adds) {
        int column = 0;
        for (int part = 0; part < gradients.size(); part++) {
            Matrix gradient = gradients.get(part);
            float[] row = new float[gradient.columns()];
            float[] scratch = new float[row.length];
            for (int i = 0; i < gradient.rows(); i++) {
                z.gradient().read(i, column, row);
                drop(i, column, row);
                gradient.write(i, row, adds.get(part), scratch);
            }
            column += row.length;
        }
    }
}
