package dev.prpf.mpp.network.host;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Concatenates each sample's rows of all parts, and adds positions (a channel's tokens) or applies a dropout mask.
 *
 * @param position (N, d)
 * @param mask (B * N, d)
 */
record Tokens(List<Value> parts, int batch, @Nullable Value position, @Nullable Matrix mask, Value y) {
    static Value append(Tape tape, List<Value> parts, @Nullable Value position, @Nullable Matrix mask) {
        int rows = parts.stream().mapToInt(part -> part.matrix().rows()).sum();
        Value y = tape.value(rows, parts.get(0).matrix().columns());
        Tokens made = new Tokens(parts, tape.batch(), position, mask, y);
        tape.forward(tape.parts(tape.batch(), Tape.LEAST_SAMPLES, made::forward), made.y, parts);
        tape.later(() -> made.appendBackward(tape));
        return made.y;
    }

    /**
     * Visits a row of a part: {@code row} is its index in the part, {@code token} its index in the sample, and {@code at} its index in the
     * result.
     */
    private interface Visit {
        void row(Value part, int row, int token, int at);
    }

    private int width() {
        return y.matrix().columns();
    }

    private void forEachRow(int from, int to, Visit visit) {
        int tokens = y.matrix().rows() / batch;
        int token = 0;
        for (Value part : parts) {
            int rows = part.matrix().rows() / batch;
            for (int i = from * rows; i < to * rows; i++) {
                visit.row(part, i, token + i % rows, i / rows * tokens + token + i % rows);
            }
            token += rows;
        }
    }

    private Runnable forward(int from, int to) {
        float[] values = new float[width()];
        float[] other = new float[width()];
        return () -> forEachRow(from, to, (part, row, token, at) -> {
            part.matrix().read(row, values);
            if (position != null) {
                position.matrix().read(token, other);
                RowMath.add(other, values);
            }
            Matrix.multiplyRow(mask, at, values, other);
            y.matrix().write(at, values);
        });
    }

    private void appendBackward(Tape tape) {
        List<Value> adding = parts.stream().filter(Value::contribute).toList();
        List<float[]> sums = new ArrayList<>(); // of the positions' gradients
        List<Object> written = new ArrayList<>(List.of(sums));
        parts.forEach(part -> written.add(part.gradient()));
        Step.Work work = (from, to) -> {
            sums.add(new float[y.matrix().rows() / batch * width()]);
            return backward(from, to, adding, sums.get(sums.size() - 1));
        };
        tape.backward(tape.parts(batch, Tape.LEAST_SAMPLES, work), List.of(y.gradient()), written);
        if (position != null) {
            tape.sum(sums, position);
        }
    }

    private Runnable backward(int from, int to, List<Value> adding, float[] sum) {
        float[] values = new float[width()];
        float[] scratch = new float[width()];
        return () -> {
            Arrays.fill(sum, 0);
            forEachRow(from, to, (part, row, token, at) -> {
                y.gradient().read(at, values);
                Matrix.multiplyRow(mask, at, values, scratch);
                addAt(values, sum, token * values.length);
                part.gradient().write(row, values, adding.contains(part), scratch);
            });
        };
    }

    private static void addAt(float[] row, float[] sum, int at) {
        for (int i = 0; i < row.length; i++) {
            sum[at + i] += row[i];
        }
    }
}
