package dev.prpf.mpp.network.host;

import dev.prpf.mpp.network.definition.Operations;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Layer norm of a residual connection on rows: y = gain n + bias with n = (s - mean(s)) / std(s), s = x + m a, m a dropout mask.
 *
 * @param inputs x and a
 * @param normed n, stored for the backward step; null for inference
 * @param scales 1 / std of each row
 */
record ResidualNorm(
        List<Value> inputs,
        Value gain,
        Value bias,
        @Nullable Matrix mask,
        Value y,
        @Nullable Matrix normed,
        float[] scales,
        int batch) {

    /** @param inputs x and a */
    static Value append(Tape tape, List<Value> inputs, Value gain, Value bias, @Nullable Matrix mask) {
        int rows = inputs.get(0).matrix().rows();
        int width = inputs.get(0).matrix().columns();
        Matrix normed = tape.training() ? Matrix.zeros(rows, width) : null;
        Value y = tape.value(rows, width);
        ResidualNorm norm = new ResidualNorm(inputs, gain, bias, mask, y, normed, new float[rows], tape.batch());
        tape.forward(tape.parts(tape.batch(), Tape.LEAST_SAMPLES, norm::forward), y, inputs);
        tape.later(() -> norm.appendBackward(tape));
        return y;
    }

    private int width() {
        return y.matrix().columns();
    }

    private int perSample() {
        return y.matrix().rows() / batch;
    }

    private Runnable forward(int from, int to) {
        int width = width();
        int perSample = perSample();
        Matrix x = inputs.get(0).matrix();
        Matrix addend = inputs.get(1).matrix();
        float[] row = new float[width];
        float[] other = new float[width];
        float[] gains = new float[width];
        float[] biases = new float[width];
        return () -> {
            gain.matrix().read(0, gains);
            bias.matrix().read(0, biases);
            for (int i = from * perSample; i < to * perSample; i++) {
                addend.read(i, row);
                Matrix.multiplyRow(mask, i, row, other);
                x.read(i, other);
                RowMath.add(other, row);
                centre(row, RowMath.sum(row) / width, other);
                scales[i] = (float) (1 / Math.sqrt(RowMath.sum(other) / width + Operations.NORM_EPSILON));
                scale(row, scales[i]);
                if (normed != null) {
                    normed.write(i, row);
                }
                RowMath.multiply(row, gains, row);
                RowMath.add(biases, row);
                y.matrix().write(i, row);
            }
        };
    }

    private static void centre(float[] values, float mean, float[] squares) {
        for (int i = 0; i < values.length; i++) {
            values[i] -= mean;
            squares[i] = values[i] * values[i];
        }
    }

    private static void scale(float[] values, float factor) {
        for (int i = 0; i < values.length; i++) {
            values[i] *= factor;
        }
    }

    private void appendBackward(Tape tape) {
        boolean[] adds = {inputs.get(0).contribute(), inputs.get(1).contribute()};
        List<float[]> toGain = new ArrayList<>();
        List<float[]> toBias = new ArrayList<>();
        Step.Work work = (from, to) -> {
            toGain.add(new float[width()]);
            toBias.add(new float[width()]);
            return backward(from, to, adds, toGain.get(toGain.size() - 1), toBias.get(toBias.size() - 1));
        };
        tape.backward(
                tape.parts(batch, Tape.LEAST_SAMPLES, work),
                List.of(y.gradient()),
                List.of(inputs.get(0).gradient(), inputs.get(1).gradient(), toGain, toBias));
        tape.sum(toGain, gain);
        tape.sum(toBias, bias);
    }

    /** Returns the part that computes gradients of samples [from, to): with h = g gain, s (h - mean(h) - n mean(h n)). */
    private Runnable backward(int from, int to, boolean[] adds, float[] toGain, float[] toBias) {
        int width = width();
        int perSample = perSample();
        Matrix n = Objects.requireNonNull(normed, "an inference pass has no backward step");
        float[] gains = new float[width];
        float[] row = new float[width];
        float[] norm = new float[width];
        float[] other = new float[width];
        return () -> {
            Arrays.fill(toGain, 0);
            Arrays.fill(toBias, 0);
            gain.matrix().read(0, gains);
            for (int i = from * perSample; i < to * perSample; i++) {
                y.gradient().read(i, row);
                n.read(i, norm);
                RowMath.add(row, toBias);
                RowMath.addProducts(row, norm, toGain);
                RowMath.multiply(row, gains, row);
                RowMath.multiply(row, norm, other);
                project(row, norm, RowMath.sum(row) / width, RowMath.sum(other) / width, scales[i]);
                System.arraycopy(row, 0, norm, 0, width);
                inputs.get(0).gradient().write(i, row, adds[0], other);
                Matrix.multiplyRow(mask, i, norm, other);
                inputs.get(1).gradient().write(i, norm, adds[1], other);
            }
        };
    }

    private static void project(float[] gradient, float[] norm, float mean, float along, float scale) {
        for (int i = 0; i < gradient.length; i++) {
            gradient[i] = scale * (gradient[i] - mean - norm[i] * along);
        }
    }
}
