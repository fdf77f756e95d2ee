package dev.prpf.mpp.network.host;

import java.util.Arrays;
import java.util.List;

/** A linear layer on rows, with or without ReLU: y = x Wᵀ + b, W (out, in). */
record Linear(Value x, Value weight, Value bias, Value y, boolean relu) {
    /** Least number of columns of a part; smaller products gain little from a second thread. */
    private static final int LEAST_COLUMNS = 64;

    static Value append(Tape tape, Value x, Value weight, Value bias, boolean relu) {
        int outputs = weight.matrix().rows();
        Linear linear = new Linear(x, weight, bias, tape.value(x.matrix().rows(), outputs), relu);
        tape.forward(tape.parts(outputs, LEAST_COLUMNS, linear::forward), linear.y, List.of(x));
        tape.later(() -> linear.appendBackward(tape));
        return linear.y;
    }

    /** Returns the part that computes outputs [from, to). */
    private Runnable forward(int from, int to) {
        Matrix part = y.matrix().columns(from, to);
        Runnable product =
                MatrixProduct.timesTransposed(x.matrix(), weight.matrix().rows(from, to), part);
        float[] biases = new float[to - from];
        float[] row = new float[to - from];
        return () -> {
            product.run();
            bias.matrix().read(0, from, biases);
            for (int i = 0; i < part.rows(); i++) {
                part.read(i, row);
                if (relu) {
                    addAndCut(biases, row);
                } else {
                    RowMath.add(biases, row);
                }
                part.write(i, row);
            }
        };
    }

    private static void addAndCut(float[] addend, float[] target) {
        for (int i = 0; i < target.length; i++) {
            target[i] = Math.max(target[i] + addend[i], 0);
        }
    }

    private void appendBackward(Tape tape) {
        Matrix gradient = y.gradient();
        int outputs = gradient.columns();
        boolean biasAdds = bias.contribute();
        List<Runnable> parts = tape.parts(outputs, LEAST_COLUMNS, (from, to) -> bias(from, to, biasAdds));
        tape.backward(parts, List.of(gradient), relu ? List.of(bias.gradient(), gradient) : List.of(bias.gradient()));
        if (x.wantsGradient()) {
            boolean adds = x.contribute();
            Step.Work work = (from, to) -> MatrixProduct.times(
                    gradient, weight.matrix().columns(from, to), x.gradient().columns(from, to), adds);
            tape.backward(
                    tape.parts(x.matrix().columns(), LEAST_COLUMNS, work), List.of(gradient), List.of(x.gradient()));
        }
        boolean adds = weight.contribute();
        Step.Work work = (from, to) -> MatrixProduct.transposedTimes(
                gradient.columns(from, to), x.matrix(), weight.gradient().rows(from, to), adds);
        tape.backward(tape.parts(outputs, LEAST_COLUMNS, work), List.of(gradient), List.of(weight.gradient()));
    }

    /** Sums the gradient over rows, after setting it to 0 in place where ReLU's output is 0, before the products read it. */
    private Runnable bias(int from, int to, boolean adds) {
        Matrix gradient = y.gradient().columns(from, to);
        Matrix outputs = y.matrix().columns(from, to);
        float[] row = new float[to - from];
        float[] output = new float[to - from];
        float[] sum = new float[to - from];
        return () -> {
            Arrays.fill(sum, 0);
            for (int i = 0; i < gradient.rows(); i++) {
                gradient.read(i, row);
                if (relu) {
                    outputs.read(i, output);
                    cut(row, output);
                    gradient.write(i, row);
                }
                RowMath.add(row, sum);
            }
            bias.gradient().columns(from, to).write(0, sum, adds, row);
        };
    }

    /** Zeroes the gradient where ReLU's output is 0; without a comparison, which would prevent vectorization. */
    private static void cut(float[] gradient, float[] output) {
        for (int i = 0; i < gradient.length; i++) {
            gradient[i] *= Math.min(output[i] * Float.MAX_VALUE * Float.MAX_VALUE, 1);
        }
    }
}
