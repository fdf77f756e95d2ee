package dev.prpf.mpp.network;

import dev.prpf.mpp.network.HostValue.Contribution;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** y = norm(x + m a) on rows: a layer norm without gain and bias over a sum, m a dropout mask. */
final class HostResidualNorm {
    private final HostValue x;
    private final HostValue addend;
    private final @Nullable HostMatrix mask;
    private final HostValue y;
    private final float[] scales;
    private final float[] row;
    private final float[] other;
    private final float[] kept;

    private HostResidualNorm(HostTape tape, HostValue x, HostValue addend, @Nullable HostMatrix mask) {
        this.x = x;
        this.addend = addend;
        this.mask = mask;
        int columns = x.matrix().columns();
        y = tape.value("norm", x.matrix().rows(), columns);
        scales = new float[x.matrix().rows()];
        row = new float[columns];
        other = new float[columns];
        kept = new float[columns];
    }

    static HostValue append(HostTape tape, HostValue x, HostValue addend, @Nullable HostMatrix mask) {
        HostResidualNorm norm = new HostResidualNorm(tape, x, addend, mask);
        tape.forward(norm::forward, norm.y, x, addend);
        tape.later(() -> norm.appendBackward(tape));
        return norm.y;
    }

    private void forward() {
        for (int i = 0; i < scales.length; i++) {
            x.matrix().read(i, row);
            addend.matrix().read(i, other);
            if (mask == null) {
                HostRows.addScaled(1, other, row);
            } else {
                mask.read(i, kept);
                HostRows.addProducts(other, kept, row);
            }
            float mean = HostRows.sum(row) / row.length;
            centre(row, mean, other);
            float variance = HostRows.sum(other) / row.length;
            scales[i] = (float) (1 / Math.sqrt(variance + MppBody.LAYER_NORM_EPSILON));
            scale(row, scales[i]);
            y.matrix().write(i, row);
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

    private void appendBackward(HostTape tape) {
        HostMatrix slope = y.gradient();
        Contribution toX = x.contribute();
        Contribution toAddend = addend.contribute();
        tape.backward(() -> backward(slope, toX, toAddend), List.of(y.gradientName()), toX, toAddend);
    }

    /** s (g - mean(g) - y mean(g y)). */
    private void backward(HostMatrix slope, Contribution toX, Contribution toAddend) {
        for (int i = 0; i < scales.length; i++) {
            slope.read(i, row);
            y.matrix().read(i, other);
            HostRows.products(row, other, kept);
            float mean = HostRows.sum(row) / row.length;
            float along = HostRows.sum(kept) / row.length;
            project(row, other, mean, along, scales[i]);
            if (mask == null) {
                System.arraycopy(row, 0, kept, 0, row.length);
            } else {
                mask.read(i, other);
                HostRows.products(row, other, kept);
            }
            toX.target().write(i, row, toX.adds(), other);
            toAddend.target().write(i, kept, toAddend.adds(), other);
        }
    }

    private static void project(float[] slope, float[] output, float mean, float along, float scale) {
        for (int i = 0; i < slope.length; i++) {
            slope[i] = scale * (slope[i] - mean - output[i] * along);
        }
    }
}
