package dev.prpf.mpp.network;

import dev.prpf.mpp.network.HostValue.Contribution;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Scaled dot-product attention of each sample's N asking rows to M answering rows over H heads, read from and written to the columns
 * of the linear layers' values: no copy for heads. Weights are kept for the backward step.
 */
final class HostAttention {
    /**
     * Columns [from, from + d) of a value.
     *
     * @param value what holds them
     * @param from the first
     */
    record Columns(HostValue value, int from) {}

    private final Columns asking;
    private final Columns keys;
    private final Columns answers;
    private final @Nullable HostMatrix mask;
    private final HostValue y;
    private final int batch;
    private final int heads;
    private final int perHead;
    private final float scale;
    private final float[][] q; // (N, d)
    private final float[][] k; // (M, d)
    private final float[][] v; // (M, d)
    private final float[][] out; // (N, d)
    private final float[][] toQ; // (N, d)
    private final float[][] toK; // (M, d)
    private final float[][] toV; // (M, d)
    private final float[] weights; // (B, N, H, M)
    private final float[] slopes; // (H, M)
    private final float[] bias; // (M)
    private final float[] scratch; // (d)
    private final float[] spread; // (d)

    private HostAttention(HostTape tape, Columns asking, Columns keys, Columns answers, Heads of) {
        this.asking = asking;
        this.keys = keys;
        this.answers = answers;
        this.mask = of.mask;
        this.heads = of.heads;
        batch = tape.batch();
        int n = asking.value.matrix().rows() / batch;
        int m = keys.value.matrix().rows() / batch;
        int d = of.width;
        perHead = d / heads;
        scale = (float) (1 / Math.sqrt(perHead));
        y = tape.value("attention", batch * n, d);
        q = new float[n][d];
        k = new float[m][d];
        v = new float[m][d];
        out = new float[n][d];
        toQ = new float[n][d];
        toK = new float[m][d];
        toV = new float[m][d];
        weights = new float[batch * n * heads * m];
        slopes = new float[heads * m];
        bias = new float[m];
        scratch = new float[d];
        spread = new float[d];
    }

    /**
     * @param heads H
     * @param width d
     * @param mask (B, M), 1 where a row may answer; null for all
     */
    record Heads(int heads, int width, @Nullable HostMatrix mask) {}

    static HostValue append(HostTape tape, Columns asking, Columns keys, Columns answers, Heads heads) {
        HostAttention attention = new HostAttention(tape, asking, keys, answers, heads);
        tape.forward(attention::forward, attention.y, asking.value, keys.value, answers.value);
        tape.later(() -> attention.appendBackward(tape));
        return attention.y;
    }

    private static void load(HostMatrix matrix, int from, int sample, float[][] rows) {
        for (int i = 0; i < rows.length; i++) {
            matrix.read(sample * rows.length + i, from, rows[i]);
        }
    }

    private static void store(HostMatrix matrix, int from, int sample, float[][] rows) {
        for (int i = 0; i < rows.length; i++) {
            matrix.write(sample * rows.length + i, from, rows[i]);
        }
    }

    private void load(int sample) {
        load(asking.value.matrix(), asking.from, sample, q);
        load(keys.value.matrix(), keys.from, sample, k);
        load(answers.value.matrix(), answers.from, sample, v);
    }

    private static void clear(float[][] rows) {
        for (float[] row : rows) {
            Arrays.fill(row, 0);
        }
    }

    private void forward() {
        for (int sample = 0; sample < batch; sample++) {
            load(sample);
            HostMasks.bias(mask, sample, bias);
            clear(out);
            for (int i = 0; i < q.length; i++) {
                int at = (sample * q.length + i) * heads * k.length;
                score(i, at);
                for (int j = 0; j < v.length; j++) {
                    spread(weights, at + j);
                    HostRows.addProducts(spread, v[j], out[i]);
                }
            }
            store(y.matrix(), 0, sample, out);
        }
    }

    /** Weights of one asking row, at (H, M) from a place on. */
    private void score(int i, int at) {
        for (int j = 0; j < k.length; j++) {
            HostRows.products(q[i], k[j], scratch);
            for (int head = 0; head < heads; head++) {
                float product = HostRows.sum(scratch, head * perHead, (head + 1) * perHead);
                weights[at + head * k.length + j] = product * scale + bias[j];
            }
        }
        for (int head = 0; head < heads; head++) {
            HostRows.softmax(weights, at + head * k.length, at + (head + 1) * k.length);
        }
    }

    /** A number of each head, M places apart, over the head's columns. */
    private void spread(float[] numbers, int at) {
        for (int head = 0; head < heads; head++) {
            Arrays.fill(spread, head * perHead, (head + 1) * perHead, numbers[at + head * k.length]);
        }
    }

    private void appendBackward(HostTape tape) {
        HostMatrix slope = y.gradient();
        List<String> reads = List.of(y.gradientName());
        if (asking.value == keys.value) {
            Contribution all = only(asking.value);
            tape.backward(() -> backward(slope, all, all), reads, all);
        } else {
            Contribution toAsking = only(asking.value);
            Contribution toAnswers = only(answers.value);
            tape.backward(() -> backward(slope, toAsking, toAnswers), reads, toAsking, toAnswers);
        }
    }

    /** The parts overwrite their columns, so nobody else may have contributed. */
    private static Contribution only(HostValue value) {
        Contribution contribution = value.contribute();
        if (contribution.adds()) {
            throw new IllegalStateException(value.name() + " goes into attention and elsewhere");
        }
        return contribution;
    }

    private void backward(HostMatrix slope, Contribution toAsking, Contribution toAnswers) {
        for (int sample = 0; sample < batch; sample++) {
            load(sample);
            load(slope, 0, sample, out);
            clear(toQ);
            clear(toK);
            clear(toV);
            for (int i = 0; i < q.length; i++) {
                backward(i, (sample * q.length + i) * heads * k.length);
            }
            store(toAsking.target(), asking.from, sample, toQ);
            store(toAnswers.target(), keys.from, sample, toK);
            store(toAnswers.target(), answers.from, sample, toV);
        }
    }

    /** One asking row: slopes of its weights, then of its scores, then of q, k and v. */
    private void backward(int i, int at) {
        for (int j = 0; j < v.length; j++) {
            HostRows.products(out[i], v[j], scratch);
            for (int head = 0; head < heads; head++) {
                slopes[head * k.length + j] = HostRows.sum(scratch, head * perHead, (head + 1) * perHead);
            }
            spread(weights, at + j);
            HostRows.addProducts(spread, out[i], toV[j]);
        }
        for (int head = 0; head < heads; head++) {
            slopeScores(head, at);
        }
        for (int j = 0; j < k.length; j++) {
            spread(slopes, j);
            HostRows.addProducts(spread, k[j], toQ[i]);
            HostRows.addProducts(spread, q[i], toK[j]);
        }
    }

    private void slopeScores(int head, int at) {
        int from = head * k.length;
        float mean = 0;
        for (int j = 0; j < k.length; j++) {
            mean += weights[at + from + j] * slopes[from + j];
        }
        for (int j = 0; j < k.length; j++) {
            slopes[from + j] = scale * weights[at + from + j] * (slopes[from + j] - mean);
        }
    }
}
