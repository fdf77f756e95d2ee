package dev.prpf.mpp.network.host;

import dev.prpf.mpp.network.definition.NetworkShape;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Scaled dot-product attention of each sample's N query rows to M key and value rows over H heads, read from and written to the columns
 * of the linear layers' values: nothing is copied for heads. The weights are kept for the backward step.
 */
final class Attention {
    private final Value query; // its first d columns
    private final Value keyValue; // its last 2d columns
    private final @Nullable Matrix mask; // (B, M)
    private final Value y;
    private final int heads;
    private final int width; // d
    private final int perHead;
    private final int n;
    private final int m;
    private final int firstKey; // column
    private final float scale;
    private final float[] weights; // (B, N, H, M)

    private Attention(
            Tape tape, Value query, Value keyValue, @Nullable Value mask, NetworkShape.Transformer transformer) {
        this.query = query;
        this.keyValue = keyValue;
        this.mask = mask == null ? null : mask.matrix();
        heads = transformer.heads();
        width = transformer.dimension();
        perHead = width / heads;
        n = query.matrix().rows() / tape.batch();
        m = keyValue.matrix().rows() / tape.batch();
        firstKey = keyValue.matrix().columns() - 2 * width;
        scale = (float) (1 / Math.sqrt(perHead));
        y = tape.value(tape.batch() * n, width);
        weights = new float[tape.batch() * n * heads * m];
    }

    static Value append(
            Tape tape, Value query, Value keyValue, @Nullable Value mask, NetworkShape.Transformer transformer) {
        Attention attention = new Attention(tape, query, keyValue, mask, transformer);
        List<Runnable> parts = tape.parts(tape.batch(), HostOperations.LEAST_SAMPLES, (from, to) -> {
            Part part = attention.new Part();
            return () -> part.forward(from, to);
        });
        tape.forward(parts, attention.y, List.of(query, keyValue));
        tape.later(() -> attention.appendBackward(tape));
        return attention.y;
    }

    /** The gradients overwrite their columns, so nothing else may read query, keys or values. */
    private void appendBackward(Tape tape) {
        query.contributeAlone();
        if (keyValue != query) {
            keyValue.contributeAlone();
        }
        List<Runnable> parts = tape.parts(tape.batch(), HostOperations.LEAST_SAMPLES, (from, to) -> {
            Part part = new Part();
            return () -> part.backward(from, to);
        });
        tape.backward(parts, List.of(y.gradient()), List.of(query.gradient(), keyValue.gradient()));
    }

    /** The work on some samples, with its buffers. */
    private final class Part {
        private final float[][] q = new float[n][width];
        private final float[][] k = new float[m][width];
        private final float[][] v = new float[m][width];
        private final float[][] out = new float[n][width]; // or its gradient
        private final float[][] toQ = new float[n][width];
        private final float[][] toK = new float[m][width];
        private final float[][] toV = new float[m][width];
        private final float[] gradients = new float[heads * m]; // of the weights, then of the scores
        private final float[] bias = new float[m];
        private final float[] scratch = new float[width];
        private final float[] spread = new float[width];

        private void load(int sample) {
            read(query.matrix(), 0, sample, q);
            read(keyValue.matrix(), firstKey, sample, k);
            read(keyValue.matrix(), firstKey + width, sample, v);
        }

        void forward(int from, int to) {
            for (int sample = from; sample < to; sample++) {
                load(sample);
                HostOperations.bias(mask, sample, bias);
                clear(out);
                for (int i = 0; i < n; i++) {
                    int at = (sample * n + i) * heads * m;
                    score(i, at);
                    for (int j = 0; j < m; j++) {
                        spread(weights, at + j);
                        RowMath.addProducts(spread, v[j], out[i]);
                    }
                }
                write(y.matrix(), 0, sample, out);
            }
        }

        /** Weights of one query row, at (H, M) from a place on. */
        private void score(int i, int at) {
            for (int j = 0; j < m; j++) {
                RowMath.multiply(q[i], k[j], scratch);
                for (int head = 0; head < heads; head++) {
                    weights[at + head * m + j] = sumOfHead(head) * scale + bias[j];
                }
            }
            for (int head = 0; head < heads; head++) {
                RowMath.softmax(weights, at + head * m, at + (head + 1) * m);
            }
        }

        private float sumOfHead(int head) {
            return RowMath.sum(scratch, head * perHead, (head + 1) * perHead);
        }

        /** A number of each head, M places apart, over the head's columns. */
        private void spread(float[] numbers, int at) {
            for (int head = 0; head < heads; head++) {
                Arrays.fill(spread, head * perHead, (head + 1) * perHead, numbers[at + head * m]);
            }
        }

        void backward(int from, int to) {
            for (int sample = from; sample < to; sample++) {
                load(sample);
                read(y.gradient(), 0, sample, out);
                clear(toQ);
                clear(toK);
                clear(toV);
                for (int i = 0; i < n; i++) {
                    backwardRow(i, (sample * n + i) * heads * m);
                }
                write(query.gradient(), 0, sample, toQ);
                write(keyValue.gradient(), firstKey, sample, toK);
                write(keyValue.gradient(), firstKey + width, sample, toV);
            }
        }

        /** One query row: gradients of its weights, then of its scores, then of q, k and v. */
        private void backwardRow(int i, int at) {
            for (int j = 0; j < m; j++) {
                RowMath.multiply(out[i], v[j], scratch);
                for (int head = 0; head < heads; head++) {
                    gradients[head * m + j] = sumOfHead(head) * scale;
                }
                spread(weights, at + j);
                RowMath.addProducts(spread, out[i], toV[j]);
            }
            for (int head = 0; head < heads; head++) {
                RowMath.softmaxGradients(weights, at + head * m, gradients, head * m, m);
            }
            for (int j = 0; j < m; j++) {
                spread(gradients, j);
                RowMath.addProducts(spread, k[j], toQ[i]);
                RowMath.addProducts(spread, q[i], toK[j]);
            }
        }
    }

    private static void read(Matrix matrix, int column, int sample, float[][] rows) {
        for (int i = 0; i < rows.length; i++) {
            matrix.read(sample * rows.length + i, column, rows[i]);
        }
    }

    private static void write(Matrix matrix, int column, int sample, float[][] rows) {
        for (int i = 0; i < rows.length; i++) {
            matrix.write(sample * rows.length + i, column, rows[i]);
        }
    }

    private static void clear(float[][] rows) {
        for (float[] row : rows) {
            Arrays.fill(row, 0);
        }
    }
}
