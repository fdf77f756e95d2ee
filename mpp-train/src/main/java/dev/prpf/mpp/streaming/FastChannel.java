package dev.prpf.mpp.streaming;

import dev.prpf.mpp.network.NetworkShape;
import java.util.Arrays;
import java.util.List;

/** The fast channel (PRPF eq. 5) on projected steps: the last k through an encoder; places before the first step are left out. */
final class FastChannel {
    private final Linear projection;
    private final float[][] positions; // (k, d)
    private final TransformerEncoder encoder;
    private final float[] readout; // (d)

    FastChannel(NetworkArrays arrays, NetworkShape shape) {
        projection = arrays.body("fast.projection");
        positions = rows(arrays.bodyVector("fast.position"), shape.dimension());
        encoder = TransformerEncoder.of(arrays, "fast", shape.layers(), shape.heads());
        readout = arrays.bodyVector("fast.readout.query");
    }

    /** Equal parts of a vector. */
    static float[][] rows(float[] values, int width) {
        float[][] rows = new float[values.length / width][];
        for (int row = 0; row < rows.length; row++) {
            rows[row] = Arrays.copyOfRange(values, row * width, (row + 1) * width);
        }
        return rows;
    }

    /** A projected step (d) as a token (d), before its position. */
    float[] token(float[] projected) {
        return projection.apply(projected);
    }

    /** The channel's output, (n, d), n = k or the number of steps when that is smaller; the newest takes the last position. */
    float[][] tokens(List<ProjectedStep> steps) {
        int n = Math.min(positions.length, steps.size());
        float[][] tokens = new float[n][];
        for (int i = 0; i < n; i++) {
            tokens[i] = steps.get(steps.size() - n + i).token().clone();
            Rows.add(positions[positions.length - n + i], tokens[i]);
        }
        return encoder.apply(tokens);
    }

    /** (N, d) to (d). */
    float[] readout(float[][] tokens) {
        return Rows.pool(readout, tokens);
    }
}
