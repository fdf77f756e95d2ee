package dev.prpf.mpp.network.host;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The tokens of a channel: each sample's rows of all parts, one part after the other, with the positions added. */
final class Tokens {
    private final List<Value> parts;
    private final int batch;
    private final Value position; // (N, d)
    private final int tokens;
    private final int width;
    private final Value y;

    private Tokens(Tape tape, Value position, List<Value> parts) {
        this.parts = parts;
        this.batch = tape.batch();
        this.position = position;
        tokens = position.matrix().rows();
        width = position.matrix().columns();
        y = tape.value(batch * tokens, width);
    }

    static Value append(Tape tape, Value position, List<Value> parts) {
        Tokens made = new Tokens(tape, position, parts);
        tape.forward(tape.parts(tape.batch(), HostOperations.LEAST_SAMPLES, made::forward), made.y, parts);
        tape.later(() -> made.appendBackward(tape));
        return made.y;
    }

    private Runnable forward(int from, int to) {
        float[] row = new float[width];
        float[] added = new float[width];
        return () -> {
            int token = 0;
            for (Value part : parts) {
                int rows = part.matrix().rows() / batch;
                for (int i = from * rows; i < to * rows; i++) {
                    int at = token + i % rows;
                    part.matrix().read(i, row);
                    position.matrix().read(at, added);
                    RowMath.add(added, row);
                    y.matrix().write(i / rows * tokens + at, row);
                }
                token += rows;
            }
        };
    }

    private void appendBackward(Tape tape) {
        List<Boolean> adds = parts.stream().map(Value::contribute).toList();
        List<float[]> sums = new ArrayList<>();
        List<Object> written = new ArrayList<>(List.of(sums));
        parts.forEach(part -> written.add(part.gradient()));
        Step.Work work = (from, to) -> {
            float[] sum = new float[tokens * width];
            sums.add(sum);
            return backward(from, to, adds, sum);
        };
        tape.backward(tape.parts(batch, HostOperations.LEAST_SAMPLES, work), List.of(y.gradient()), written);
        tape.sum(sums, position);
    }

    private Runnable backward(int from, int to, List<Boolean> adds, float[] sum) {
        float[] row = new float[width];
        float[] scratch = new float[width];
        return () -> {
            Arrays.fill(sum, 0);
            int token = 0;
            for (int part = 0; part < parts.size(); part++) {
                Matrix gradient = parts.get(part).gradient();
                int rows = gradient.rows() / batch;
                for (int i = from * rows; i < to * rows; i++) {
                    int at = token + i % rows;
                    y.gradient().read(i / rows * tokens + at, row);
                    addAt(row, sum, at * width);
                    gradient.write(i, row, adds.get(part), scratch);
                }
                token += rows;
            }
        };
    }

    private static void addAt(float[] row, float[] sum, int at) {
        for (int i = 0; i < row.length; i++) {
            sum[at + i] += row[i];
        }
    }
}
