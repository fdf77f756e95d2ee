package dev.prpf.mpp.network.host;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Attention pooling of each sample's N rows by Q learned queries: y_q = Σ softmax(s x·query_q + bias)_n x_n. */
final class AttentionPooling {
    private final Value x;
    private final Value query;
    private final @Nullable Matrix mask; // (B, Q * N)
    private final float scale;
    private final Value y;
    private final int n;
    private final int queries;
    private final int width;
    private final float[] weights; // (B, Q, N)

    private AttentionPooling(Tape tape, Value x, Value query, double scale, @Nullable Value mask) {
        this.x = x;
        this.query = query;
        this.mask = mask == null ? null : mask.matrix();
        this.scale = (float) scale;
        n = x.matrix().rows() / tape.batch();
        queries = query.matrix().rows();
        width = x.matrix().columns();
        y = tape.value(tape.batch() * queries, width);
        weights = new float[tape.batch() * queries * n];
    }

    static Value append(Tape tape, Value x, Value query, double scale, @Nullable Value mask) {
        AttentionPooling pooling = new AttentionPooling(tape, x, query, scale, mask);
        List<Runnable> parts = tape.parts(
                tape.batch(), HostOperations.LEAST_SAMPLES, (from, to) -> pooling.new Part().forward(from, to));
        tape.forward(parts, pooling.y, List.of(x));
        tape.later(() -> pooling.appendBackward(tape));
        return pooling.y;
    }

    private void appendBackward(Tape tape) {
        boolean adds = x.wantsGradient() && x.contribute();
        List<float[]> sums = new ArrayList<>();
        Step.Work work = (from, to) -> {
            float[] sum = new float[queries * width];
            sums.add(sum);
            return pooling(from, to, adds, sum);
        };
        List<Runnable> parts = tape.parts(tape.batch(), HostOperations.LEAST_SAMPLES, work);
        tape.backward(parts, List.of(y.gradient()), x.wantsGradient() ? List.of(sums, x.gradient()) : List.of(sums));
        tape.sum(sums, query);
    }

    private Runnable pooling(int from, int to, boolean adds, float[] sum) {
        return new Part().backward(from, to, adds, sum);
    }

    /** The work on some samples, with its buffers. */
    private final class Part {
        private final float[][] rows = new float[n][width];
        private final float[][] asked = new float[queries][width];
        private final float[][] toQueries = new float[queries][width];
        private final float[] bias = new float[queries * n];
        private final float[] gradients = new float[n]; // of the weights, then of the scores
        private final float[] row = new float[width];
        private final float[] scratch = new float[width];
        private final float[] spare = new float[width];

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

        Runnable forward(int from, int to) {
            return () -> {
                loadQueries();
                for (int sample = from; sample < to; sample++) {
                    load(sample);
                    HostOperations.bias(mask, sample, bias);
                    for (int q = 0; q < queries; q++) {
                        pool(sample, q);
                    }
                }
            };
        }

        private void pool(int sample, int q) {
            int at = (sample * queries + q) * n;
            for (int i = 0; i < n; i++) {
                RowMath.multiply(rows[i], asked[q], scratch);
                weights[at + i] = scale * RowMath.sum(scratch) + bias[q * n + i];
            }
            RowMath.softmax(weights, at, at + n);
            Arrays.fill(row, 0);
            for (int i = 0; i < n; i++) {
                RowMath.addScaled(weights[at + i], rows[i], row);
            }
            y.matrix().write(sample * queries + q, row);
        }

        Runnable backward(int from, int to, boolean adds, float[] sum) {
            return () -> {
                loadQueries();
                for (float[] toQuery : toQueries) {
                    Arrays.fill(toQuery, 0);
                }
                for (int sample = from; sample < to; sample++) {
                    load(sample);
                    for (int q = 0; q < queries; q++) {
                        y.gradient().read(sample * queries + q, row);
                        backward(sample, q, adds || q > 0);
                    }
                }
                for (int q = 0; q < queries; q++) {
                    System.arraycopy(toQueries[q], 0, sum, q * width, width);
                }
            };
        }

        /** From one output's gradient, in {@link #row}, to the rows and the query. */
        private void backward(int sample, int q, boolean adds) {
            int at = (sample * queries + q) * n;
            for (int i = 0; i < n; i++) {
                RowMath.multiply(rows[i], row, scratch);
                gradients[i] = RowMath.sum(scratch);
            }
            RowMath.softmaxGradients(weights, at, gradients, 0, n);
            for (int i = 0; i < n; i++) {
                float score = scale * gradients[i];
                RowMath.addScaled(score, rows[i], toQueries[q]);
                if (x.wantsGradient()) {
                    combine(weights[at + i], row, score, asked[q], scratch);
                    x.gradient().write(sample * n + i, scratch, adds, spare);
                }
            }
        }
    }

    private static void combine(float a, float[] x, float b, float[] y, float[] target) {
        for (int i = 0; i < target.length; i++) {
            target[i] = a * x[i] + b * y[i];
        }
    }
}
