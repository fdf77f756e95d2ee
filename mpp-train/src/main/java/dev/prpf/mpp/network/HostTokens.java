package dev.prpf.mpp.network;

import dev.prpf.mpp.network.HostValue.Contribution;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The tokens of a channel: each sample's rows of all parts, one after the other, with the positions added. */
final class HostTokens {
    private final List<HostValue> parts;
    private final int batch;
    private final int tokens;
    private final HostMatrix positions;
    private final HostValue position;
    private final HostValue y;
    private final float[] row;
    private final float[] other;
    private final float[] sum;
    private final float[] scratch; // of the parts' step alone: the positions' may run beside it

    private HostTokens(HostTape tape, String position, List<HostValue> parts) {
        this.parts = parts;
        this.batch = tape.batch();
        this.position = tape.parameter(position);
        positions = this.position.matrix();
        tokens = positions.rows();
        int columns = positions.columns();
        y = tape.value("tokens", batch * tokens, columns);
        row = new float[columns];
        other = new float[columns];
        sum = new float[columns];
        scratch = new float[columns];
    }

    /** @param position name of the positions, (1, N, d) */
    static HostValue append(HostTape tape, String position, HostValue... parts) {
        HostTokens made = new HostTokens(tape, position, List.of(parts));
        tape.forward(made::forward, made.y, parts);
        tape.later(() -> made.appendBackward(tape));
        return made.y;
    }

    private void forward() {
        int token = 0;
        for (HostValue part : parts) {
            int rows = part.matrix().rows() / batch;
            for (int i = 0; i < part.matrix().rows(); i++) {
                int at = token + i % rows;
                part.matrix().read(i, row);
                positions.read(at, other);
                HostRows.addScaled(1, other, row);
                y.matrix().write(i / rows * tokens + at, row);
            }
            token += rows;
        }
    }

    private void appendBackward(HostTape tape) {
        List<String> reads = List.of(y.gradientName());
        HostMatrix slope = y.gradient();
        Contribution toPosition = position.contribute();
        tape.backward(() -> position(slope, toPosition), reads, toPosition);
        List<Contribution> toParts = new ArrayList<>();
        parts.forEach(part -> toParts.add(part.contribute()));
        tape.backward(() -> parts(slope, toParts), reads, toParts.toArray(Contribution[]::new));
    }

    private void position(HostMatrix slope, Contribution toPosition) {
        for (int token = 0; token < tokens; token++) {
            Arrays.fill(sum, 0);
            for (int sample = 0; sample < batch; sample++) {
                slope.read(sample * tokens + token, other);
                HostRows.addScaled(1, other, sum);
            }
            toPosition.target().write(token, sum, toPosition.adds(), other);
        }
    }

    private void parts(HostMatrix slope, List<Contribution> toParts) {
        int token = 0;
        for (Contribution part : toParts) {
            int rows = part.target().rows() / batch;
            for (int i = 0; i < part.target().rows(); i++) {
                slope.read(i / rows * tokens + token + i % rows, row);
                part.target().write(i, row, part.adds(), scratch);
            }
            token += rows;
        }
    }
}
