package dev.prpf.mpp.streaming;

/** Scaled dot-product attention over H heads, then its output projection; rows are tokens, no token is masked. */
final class MultiHeadAttention {
    private final int heads;
    private final Linear query;
    private final Linear key;
    private final Linear value;
    private final Linear out;

    MultiHeadAttention(int heads, Linear query, Linear key, Linear value, Linear out) {
        this.heads = heads;
        this.query = query;
        this.key = key;
        this.value = value;
        this.out = out;
    }

    /** (N, d) asking, (M, d) answering: (N, d). */
    float[][] apply(float[][] asking, float[][] answering) {
        float[][] q = query.apply(asking);
        float[][] k = key.apply(answering);
        float[][] v = value.apply(answering);
        float[][] mixed = new float[q.length][out.inputs()];
        int width = out.inputs() / heads;
        for (int n = 0; n < q.length; n++) {
            for (int from = 0; from < out.inputs(); from += width) {
                mix(q[n], k, v, from, from + width, mixed[n]);
            }
        }
        return out.apply(mixed);
    }

    /** One head's columns of one token. */
    private static void mix(float[] q, float[][] k, float[][] v, int from, int to, float[] mixed) {
        double scale = 1 / Math.sqrt(to - from);
        float[] weights = new float[k.length];
        for (int m = 0; m < k.length; m++) {
            weights[m] = (float) (Rows.dot(q, k[m], from, to) * scale);
        }
        Rows.softmax(weights);
        for (int m = 0; m < k.length; m++) {
            for (int i = from; i < to; i++) {
                mixed[i] = Math.fma(weights[m], v[m][i], mixed[i]);
            }
        }
    }
}
