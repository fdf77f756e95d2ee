package dev.prpf.mpp.network;

import dev.prpf.mpp.network.HostValue.Contribution;
import java.util.Arrays;
import java.util.List;

/** y = x Wᵀ + b on rows, with or without relu; W (out, in). */
final class HostLinear {
    private final HostValue x;
    private final HostValue weight;
    private final HostValue bias;
    private final HostValue y;
    private final boolean relu;
    private final float[] row;
    private final float[] other;
    private final float[] sum;

    private HostLinear(HostTape tape, HostValue x, String name, boolean relu) {
        this.x = x;
        this.relu = relu;
        weight = tape.parameter(name + ".weight");
        bias = tape.parameter(name + ".bias");
        int out = weight.matrix().rows();
        y = tape.value(name, x.matrix().rows(), out);
        row = new float[out];
        other = new float[out];
        sum = new float[out];
    }

    static HostValue plain(HostTape tape, HostValue x, String name) {
        return new HostLinear(tape, x, name, false).append(tape);
    }

    static HostValue relu(HostTape tape, HostValue x, String name) {
        return new HostLinear(tape, x, name, true).append(tape);
    }

    private HostValue append(HostTape tape) {
        tape.forward(this::forward, y, x);
        tape.later(() -> appendBackward(tape));
        return y;
    }

    private void forward() {
        HostProduct.timesTransposed(x.matrix(), weight.matrix(), y.matrix());
        bias.matrix().read(0, other);
        for (int i = 0; i < y.matrix().rows(); i++) {
            y.matrix().read(i, row);
            if (relu) {
                addAndCut(row, other);
            } else {
                add(row, other);
            }
            y.matrix().write(i, row);
        }
    }

    private static void add(float[] target, float[] addend) {
        for (int i = 0; i < target.length; i++) {
            target[i] += addend[i];
        }
    }

    private static void addAndCut(float[] target, float[] addend) {
        for (int i = 0; i < target.length; i++) {
            target[i] = Math.max(target[i] + addend[i], 0);
        }
    }

    private void appendBackward(HostTape tape) {
        HostMatrix slope = y.gradient();
        Contribution toBias = bias.contribute();
        tape.backward(() -> bias(slope, toBias), List.of(y.gradientName()), toBias);
        // The bias step also cuts the slope where relu was 0, so the products wait for it.
        List<String> reads = List.of(relu ? toBias.after() : y.gradientName());
        Contribution toWeight = weight.contribute();
        tape.backward(
                () -> HostProduct.transposedTimes(slope, x.matrix(), toWeight.target(), toWeight.adds()),
                reads,
                toWeight);
        if (x.wantsGradient()) {
            Contribution toInput = x.contribute();
            tape.backward(
                    () -> HostProduct.times(slope, weight.matrix(), toInput.target(), toInput.adds()), reads, toInput);
        }
    }

    private void bias(HostMatrix slope, Contribution toBias) {
        Arrays.fill(sum, 0);
        for (int i = 0; i < slope.rows(); i++) {
            slope.read(i, row);
            if (relu) {
                y.matrix().read(i, other);
                cut(row, other);
                slope.write(i, row);
            }
            add(sum, row);
        }
        toBias.target().write(0, sum, toBias.adds(), row);
    }

    /** Zero where relu's output was, as it is elsewhere; a comparison would keep the compiler from vector instructions. */
    private static void cut(float[] slope, float[] output) {
        for (int i = 0; i < slope.length; i++) {
            slope[i] *= Math.min(output[i] * Float.MAX_VALUE * Float.MAX_VALUE, 1);
        }
    }
}
