package dev.prpf.mpp.network.host;

import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.Operations;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Attention of N queries to each sample's M rows over H heads: y_n = Σ softmax(s q_n·k + bias)_m v_m. Queries, keys and values are columns of
 * the linear layers' outputs, accessed in place. In attention pooling the queries are shared parameters, and each row is both key and value.
 * The weights are stored for the backward step.
 *
 * @param query its first columns
 * @param keyValue its last columns
 * @param mask (B, M), or (B, N * M) with a mask of each query
 * @param weights (B, N, H, M)
 */
record Attention(
        Value query, Value keyValue, @Nullable Matrix mask, Value y, Kind kind, int n, int m, float[] weights) {
    /** The width of a query, H, s, and whether this is attention pooling. */
    private record Kind(int width, int heads, double scale, boolean pooling) {
        int perHead() {
            return width / heads;
        }
    }

    private static Value append(Tape tape, Value query, Value keyValue, @Nullable Value mask, Kind kind) {
        int n = query.matrix().rows() / (kind.pooling ? 1 : tape.batch());
        int m = keyValue.matrix().rows() / tape.batch();
        Value y = tape.value(tape.batch() * n, kind.width);
        float[] weights = new float[tape.batch() * n * kind.heads * m];
        Matrix seen = mask == null ? null : mask.matrix();
        new Attention(query, keyValue, seen, y, kind, n, m, weights).append(tape);
        return y;
    }

    /** Appends the steps of {@link Operations#attention}. */
    static Value multiHead(
            Tape tape, Value query, Value keyValue, @Nullable Value mask, NetworkShape.Transformer transformer) {
        int d = transformer.dimension();
        double scale = 1 / Math.sqrt((double) d / transformer.heads());
        return append(tape, query, keyValue, mask, new Kind(d, transformer.heads(), scale, false));
    }

    /** Appends the steps of {@link Operations#pool}. */
    static Value pooling(Tape tape, Value x, Value query, double scale, @Nullable Value mask) {
        return append(tape, query, x, mask, new Kind(x.matrix().columns(), 1, scale, true));
    }

    private void append(Tape tape) {
        List<Runnable> parts = tape.parts(tape.batch(), Tape.LEAST_SAMPLES, (from, to) -> {
            Part part = new Part();
            return () -> part.forward(from, to);
        });
        tape.forward(parts, y, List.of(query, keyValue));
        tape.later(() -> appendBackward(tape));
    }

    private void appendBackward(Tape tape) {
        List<Object> written = new ArrayList<>();
        List<float[]> sums = new ArrayList<>(); // of the shared queries' gradients
        boolean adds = keyValue.wantsGradient() && keyValue.contribute();
        if (keyValue.wantsGradient()) {
            written.add(keyValue.gradient());
        }
        if (kind.pooling) {
            written.add(sums);
        } else {
            adds |= query != keyValue && query.contribute();
            written.add(query.gradient());
            if (adds) { // the gradients overwrite their columns
                throw new IllegalStateException("queries, keys and values must be read by attention only");
            }
        }
        boolean addsToRows = adds;
        List<Runnable> parts = tape.parts(tape.batch(), Tape.LEAST_SAMPLES, (from, to) -> {
            Part part = new Part();
            sums.add(new float[n * kind.width]);
            float[] sum = sums.get(sums.size() - 1);
            return () -> part.backward(from, to, addsToRows, sum);
        });
        tape.backward(parts, List.of(y.gradient()), written);
        if (kind.pooling) {
            tape.sum(sums, query);
        }
    }

    private final class Part {
        private final int width = kind.width;
        private final int heads = kind.heads;
        private final float scale = (float) kind.scale;
        private final int firstValue = keyValue.matrix().columns() - width;
        private final int firstKey = kind.pooling ? firstValue : firstValue - width;
        private final float[][] q = new float[n][width];
        private final float[][] k = new float[m][width];
        private final float[][] v = kind.pooling ? k : new float[m][width];
        private final float[][] out = new float[n][width]; // or its gradient
        private final float[][] toQ = new float[n][width];
        private final float[][] toK = new float[m][width];
        private final float[][] toV = kind.pooling ? toK : new float[m][width];
        private final float[] gradients = new float[heads * m]; // of the weights, then of the scores
        private final float[] bias = new float[mask == null ? m : mask.columns()];
        private final float[] scratch = new float[width];
        private final float[] spread = new float[width];

        private void load(int sample) {
            read(query.matrix(), 0, kind.pooling ? 0 : sample, q);
            read(keyValue.matrix(), firstKey, sample, k);
            if (!kind.pooling) {
                read(keyValue.matrix(), firstValue, sample, v);
            }
        }

        void forward(int from, int to) {
            for (int sample = from; sample < to; sample++) {
                load(sample);
                readBias(sample);
                clear(out);
                for (int i = 0; i < n; i++) {
                    int at = (sample * n + i) * heads * m;
                    score(i, at);
                    for (int j = 0; j < m; j++) {
                        spread(weights, at + j);
                        RowMath.addProducts(spread, v[j], out[i]);
                    }
                }
                write(y.matrix(), 0, sample, out, false);
            }
        }

        private void readBias(int sample) {
            if (mask != null) {
                mask.read(sample, bias);
                for (int i = 0; i < bias.length; i++) {
                    bias[i] = (1 - bias[i]) * (float) Operations.MASKED;
                }
            }
        }

        /** Computes the weights of one query, (H, M), starting at index {@code at}. */
        private void score(int i, int at) {
            int own = bias.length == m ? 0 : i * m;
            for (int j = 0; j < m; j++) {
                RowMath.multiply(q[i], k[j], scratch);
                for (int head = 0; head < heads; head++) {
                    weights[at + head * m + j] = sumOfHead(head) * scale + bias[own + j];
                }
            }
            for (int head = 0; head < heads; head++) {
                RowMath.softmax(weights, at + head * m, at + (head + 1) * m);
            }
        }

        private float sumOfHead(int head) {
            return RowMath.sum(scratch, head * kind.perHead(), (head + 1) * kind.perHead());
        }

        /** Spreads each head's number, M elements apart, over the head's columns. */
        private void spread(float[] numbers, int at) {
            for (int head = 0; head < heads; head++) {
                Arrays.fill(spread, head * kind.perHead(), (head + 1) * kind.perHead(), numbers[at + head * m]);
            }
        }

        void backward(int from, int to, boolean adds, float[] sum) {
            clear(toQ);
            for (int sample = from; sample < to; sample++) {
                load(sample);
                read(y.gradient(), 0, sample, out);
                clear(toK);
                clear(toV);
                for (int i = 0; i < n; i++) {
                    backwardRow(i, (sample * n + i) * heads * m);
                }
                if (keyValue.wantsGradient()) {
                    write(keyValue.gradient(), firstKey, sample, toK, adds);
                }
                if (!kind.pooling) {
                    write(keyValue.gradient(), firstValue, sample, toV, false);
                    write(query.gradient(), 0, sample, toQ, false);
                    clear(toQ);
                }
            }
            for (int i = 0; i < n && kind.pooling; i++) {
                System.arraycopy(toQ[i], 0, sum, i * width, width);
            }
        }

        /** Computes one query's gradients: of its weights, then of its scores, then of q, k and v. */
        private void backwardRow(int i, int at) {
            boolean rows = keyValue.wantsGradient();
            for (int j = 0; j < m; j++) {
                RowMath.multiply(out[i], v[j], scratch);
                for (int head = 0; head < heads; head++) {
                    gradients[head * m + j] = sumOfHead(head) * scale;
                }
                if (rows) {
                    spread(weights, at + j);
                    RowMath.addProducts(spread, out[i], toV[j]);
                }
            }
            for (int head = 0; head < heads; head++) {
                RowMath.softmaxGradients(weights, at + head * m, gradients, head * m, m);
            }
            for (int j = 0; j < m; j++) {
                spread(gradients, j);
                RowMath.addProducts(spread, k[j], toQ[i]);
                if (rows) {
                    RowMath.addProducts(spread, q[i], toK[j]);
                }
            }
        }

        private void write(Matrix matrix, int column, int sample, float[][] rows, boolean adds) {
            for (int i = 0; i < rows.length; i++) {
                int row = sample * rows.length + i;
                if (adds) {
                    matrix.read(row, column, scratch);
                    RowMath.add(scratch, rows[i]);
                }
                matrix.write(row, column, rows[i]);
            }
        }
    }

    private static void read(Matrix matrix, int column, int sample, float[][] rows) {
        for (int i = 0; i < rows.length; i++) {
            matrix.read(sample * rows.length + i, column, rows[i]);
        }
    }

    private static void clear(float[][] rows) {
        for (float[] row : rows) {
            Arrays.fill(row, 0);
        }
    }
}
