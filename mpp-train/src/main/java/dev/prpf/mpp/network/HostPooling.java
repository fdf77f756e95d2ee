package dev.prpf.mpp.network;

import dev.prpf.mpp.network.HostValue.Contribution;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Attention pooling of each sample's N rows by Q learned queries: y_q = Σ softmax(s x·query_q + bias)_n x_n. */
final class HostPooling {
    private final HostValue x;
    private final HostValue query;
    private final @Nullable HostMatrix mask;
    private final float scale;
    private final HostValue y;
    private final int batch;
    private final int n;
    private final int queries;
    private final float[][] rows; // (N, width)
    private final float[][] asked; // (Q, width)
    private final float[][] slopes; // (Q, width), of the queries
    private final float[] weights; // (B, Q, N)
    private final float[] row;
    private final float[] scratch;
    private final float[] spare;
    private final float[] weightSlopes; // (N)
    private final float[] bias; // (Q * N)

    private HostPooling(HostTape tape, HostValue x, String query, @Nullable HostMatrix mask, double scale) {
        this.x = x;
        this.query = tape.parameter(query);
        this.mask = mask;
        this.scale = (float) scale;
        batch = tape.batch();
        n = x.matrix().rows() / batch;
        int width = x.matrix().columns();
        queries = this.query.matrix().rows();
        y = tape.value(query, batch * queries, width);
        rows = new float[n][width];
        asked = new float[queries][width];
        slopes = new float[queries][width];
        weights = new float[batch * queries * n];
        row = new float[width];
        scratch = new float[width];
        spare = new float[width];
        weightSlopes = new float[n];
        bias = new float[queries * n];
    }

    /**
     * @param query name of the queries, (Q, width)
     * @param mask (B, Q * N), 1 where a query sees a row; null for all
     * @param scale s
     */
    static HostValue append(HostTape tape, HostValue x, String query, @Nullable HostMatrix mask, double scale) {
        HostPooling pooling = new HostPooling(tape, x, query, mask, scale);
        tape.forward(pooling::forward, pooling.y, x);
        tape.later(() -> pooling.appendBackward(tape));
        return pooling.y;
    }

    private void load(int sample) {
        for (int i = 0; i < n; i++) {
            x.matrix().read(sample * n + i, rows[i]);
        }
    }

    private void loadQueries() {
        for (int q = 0; q < queries; q++) {
            query.matrix().read(q, asked[q]);
        }
    }

    private void forward() {
        loadQueries();
        for (int sample = 0; sample < batch; sample++) {
            load(sample);
            HostMasks.bias(mask, sample, bias);
            for (int q = 0; q < queries; q++) {
                int at = (sample * queries + q) * n;
                for (int i = 0; i < n; i++) {
                    HostRows.products(rows[i], asked[q], scratch);
                    weights[at + i] = scale * HostRows.sum(scratch) + bias[q * n + i];
                }
                HostRows.softmax(weights, at, at + n);
                Arrays.fill(row, 0);
                for (int i = 0; i < n; i++) {
                    HostRows.addScaled(weights[at + i], rows[i], row);
                }
                y.matrix().write(sample * queries + q, row);
            }
        }
    }

    private void appendBackward(HostTape tape) {
        HostMatrix slope = y.gradient();
        List<String> reads = List.of(y.gradientName());
        Contribution toQuery = query.contribute();
        Contribution toX = x.wantsGradient() ? x.contribute() : null;
        List<Contribution> made = new ArrayList<>(List.of(toQuery));
        if (toX != null) {
            made.add(toX);
        }
        tape.backward(() -> backward(slope, toQuery, toX), reads, made.toArray(Contribution[]::new));
    }

    private void backward(HostMatrix slope, Contribution toQuery, @Nullable Contribution toX) {
        loadQueries();
        for (float[] ofQuery : slopes) {
            Arrays.fill(ofQuery, 0);
        }
        for (int sample = 0; sample < batch; sample++) {
            load(sample);
            for (int q = 0; q < queries; q++) {
                slope.read(sample * queries + q, row);
                backward(sample, q, toX);
            }
        }
        for (int q = 0; q < queries; q++) {
            toQuery.target().write(q, slopes[q], toQuery.adds(), scratch);
        }
    }

    /** One output row's slope, in {@link #row}, to the rows and the query. */
    private void backward(int sample, int q, @Nullable Contribution toX) {
        int at = (sample * queries + q) * n;
        float[] own = Arrays.copyOfRange(weights, at, at + n);
        for (int i = 0; i < n; i++) {
            HostRows.products(rows[i], row, scratch);
            weightSlopes[i] = HostRows.sum(scratch);
        }
        HostRows.softmaxSlopes(own, weightSlopes, 0, n);
        for (int i = 0; i < n; i++) {
            float score = scale * weightSlopes[i];
            HostRows.addScaled(score, rows[i], slopes[q]);
            if (toX != null) {
                combine(own[i], row, score, asked[q], scratch);
                toX.target().write(sample * n + i, scratch, toX.adds() || q > 0, spare);
            }
        }
    }

    private static void combine(float a, float[] x, float b, float[] y, float[] target) {
        for (int i = 0; i < target.length; i++) {
            target[i] = a * x[i] + b * y[i];
        }
    }
}
