package dev.prpf.mpp.network.host;

import dev.prpf.mpp.network.definition.Operations;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** y = gain n + bias with n = (s - mean(s)) / std(s), s = x + m a: layer norm of a residual connection on rows, m a dropout mask. */
final class ResidualNorm {
    private final Value x;
    private final Value addend;
    private final Value gain;
    private final Value bias;
    private final @Nullable Matrix mask;
    private final Value y;
    private final @Nullable Matrix normed; // n, kept for the backward step
    private final float[] scales; // 1 / std of each row
    private final int perSample;
    private final int width;

    private ResidualNorm(Tape tape, List<Value> inputs, Value gain, Value bias, @Nullable Matrix mask) {
        x = inputs.get(0);
        addend = inputs.get(1);
        this.gain = gain;
        this.bias = bias;
        this.mask = mask;
        int rows = x.matrix().rows();
        width = x.matrix().columns();
        perSample = rows / tape.batch();
        y = tape.value(rows, width);
        normed = tape.training() ? Matrix.zeros(rows, width) : null;
        scales = new float[rows];
    }

    /** @param inputs x and a */
    static Value append(Tape tape, List<Value> inputs, Value gain, Value bias, @Nullable Matrix mask) {
        ResidualNorm norm = new ResidualNorm(tape, inputs, gain, bias, mask);
        tape.forward(tape.parts(tape.batch(), Tape.LEAST_SAMPLES, norm::forward), norm.y, inputs);
        tape.later(() -> norm.appendBackward(tape));
        return norm.y;
    }

    /** Samples [from, to). */
    private Runnable forward(int from, int to) {
        float[] row = new float[width];
        float[] other = new float[width];
        float[] gains = new float[width];
        float[] biases = new float[width];
        return () -> {
            gain.matrix().read(0, gains);
            bias.matrix().read(0, biases);
            for (int i = from * perSample; i < to * perSample; i++) {
                addend.matrix().read(i, row);
                drop(i, row, other);
                x.matrix().read(i, other);
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

    private void drop(int row, float[] values, float[] scratch) {
        if (mask != null) {
            mask.read(row, scratch);
            RowMath.multiply(values, scratch, values);
        }
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
        boolean addsToX = x.contribute();
        boolean addsToAddend = addend.contribute();
        List<float[]> toGain = new ArrayList<>();
        List<float[]> toBias = new ArrayList<>();
        Step.Work work = (from, to) -> {
            toGain.add(new float[width]);
            toBias.add(new float[width]);
            Backward part = new Backward(toGain.get(toGain.size() - 1), toBias.get(toBias.size() - 1));
            return () -> part.run(from, to, addsToX, addsToAddend);
        };
        tape.backward(
                tape.parts(tape.batch(), Tape.LEAST_SAMPLES, work),
                List.of(y.gradient()),
                List.of(x.gradient(), addend.gradient(), toGain, toBias));
        tape.sum(toGain, gain);
        tape.sum(toBias, bias);
    }

    /** The gradients of some samples, with the buffers for them. */
    private final class Backward {
        private final float[] toGain;
        private final float[] toBias;
        private final float[] gains = new float[width];
        private final float[] row = new float[width];
        private final float[] norm = new float[width];
        private final float[] other = new float[width];

        Backward(float[] toGain, float[] toBias) {
            this.toGain = toGain;
            this.toBias = toBias;
        }

        /** With h = g gain: s (h - mean(h) - n mean(h n)). */
        void run(int from, int to, boolean addsToX, boolean addsToAddend) {
            Arrays.fill(toGain, 0);
            Arrays.fill(toBias, 0);
            gain.matrix().read(0, gains);
            for (int i = from * perSample; i < to * perSample; i++) {
                y.gradient().read(i, row);
                normed().read(i, norm);
                RowMath.add(row, toBias);
                RowMath.addProducts(row, norm, toGain);
                RowMath.multiply(row, gains, row);
                RowMath.multiply(row, norm, other);
                project(row, norm, RowMath.sum(row) / width, RowMath.sum(other) / width, scales[i]);
                System.arraycopy(row, 0, norm, 0, width);
                x.gradient().write(i, row, addsToX, other);
                drop(i, norm, other);
                addend.gradient().write(i, norm, addsToAddend, other);
            }
        }
    }

    private Matrix normed() {
        if (normed == null) {
            throw new IllegalStateException("an inference pass has no backward step");
        }
        return normed;
    }

    private static void project(float[] gradient, float[] norm, float mean, float along, float scale) {
        for (int i = 0; i < gradient.length; i++) {
            gradient[i] = scale * (gradient[i] - mean - norm[i] * along);
        }
    }
}
