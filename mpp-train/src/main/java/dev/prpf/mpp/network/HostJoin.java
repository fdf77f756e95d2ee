package dev.prpf.mpp.network;

import dev.prpf.mpp.network.HostValue.Contribution;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** z = m [p | q | …]: parts of equal width side by side, m a dropout mask. */
final class HostJoin {
    private final List<HostValue> parts;
    private final @Nullable HostMatrix mask;
    private final HostValue z;
    private final float[] row;
    private final float[] kept;
    private final float[] scratch;

    private HostJoin(HostTape tape, @Nullable HostMatrix mask, List<HostValue> parts) {
        this.parts = parts;
        this.mask = mask;
        int columns = parts.get(0).matrix().columns();
        z = tape.value("fused", tape.batch(), columns * parts.size());
        row = new float[columns];
        kept = new float[columns];
        scratch = new float[columns];
    }

    static HostValue append(HostTape tape, @Nullable HostMatrix mask, HostValue... parts) {
        HostJoin join = new HostJoin(tape, mask, List.of(parts));
        tape.forward(join::forward, join.z, parts);
        tape.later(() -> join.appendBackward(tape));
        return join.z;
    }

    private void forward() {
        for (int part = 0; part < parts.size(); part++) {
            for (int i = 0; i < z.matrix().rows(); i++) {
                parts.get(part).matrix().read(i, row);
                drop(i, part);
                z.matrix().write(i, part * row.length, row);
            }
        }
    }

    private void drop(int sample, int part) {
        if (mask != null) {
            mask.read(sample, part * row.length, kept);
            HostRows.products(row, kept, row);
        }
    }

    private void appendBackward(HostTape tape) {
        List<String> reads = List.of(z.gradientName());
        HostMatrix slope = z.gradient();
        List<Contribution> toParts = new ArrayList<>();
        parts.forEach(part -> toParts.add(part.contribute()));
        tape.backward(() -> backward(slope, toParts), reads, toParts.toArray(Contribution[]::new));
    }

    private void backward(HostMatrix slope, List<Contribution> toParts) {
        for (int part = 0; part < parts.size(); part++) {
            Contribution to = toParts.get(part);
            for (int i = 0; i < slope.rows(); i++) {
                slope.read(i, part * row.length, row);
                drop(i, part);
                to.target().write(i, row, to.adds(), scratch);
            }
        }
    }
}
