package dev.prpf.mpp.streaming;

import dev.prpf.mpp.network.NetworkShape;
import java.util.Arrays;
import java.util.List;

/** The slow channel (PRPF eq. 4) on projected steps: its context and the pooled trajectory through an encoder. */
final class SlowChannel {
    private final Linear context;
    private final float[][] contextQueries; // (3, E), or none where each text has one vector
    private final float[] screenQuery; // (E)
    private final float[] textQuery; // (E)
    private final float[][] positions; // (4, d)
    private final TransformerEncoder encoder;
    private final float[] readout; // (d)

    SlowChannel(NetworkArrays arrays, NetworkShape shape) {
        context = arrays.body("context");
        contextQueries = shape.sentences() == 0
                ? new float[0][]
                : FastChannel.rows(
                        Rows.scaled(arrays.bodyVector("slow.context.query"), (float) Math.sqrt(shape.width())),
                        shape.width());
        float[] query = arrays.bodyVector("slow.pool.query");
        screenQuery = Arrays.copyOfRange(query, 0, shape.width());
        textQuery = Arrays.copyOfRange(query, shape.width(), shape.stepWidth());
        positions = FastChannel.rows(arrays.bodyVector("slow.position"), shape.dimension());
        encoder = TransformerEncoder.of(arrays, "slow", shape.layers(), shape.heads());
        readout = arrays.bodyVector("slow.readout.query");
    }

    /**
     * A context text as a token (d), before its position.
     *
     * @param place 0 profile, 1 phone, 2 world
     * @param vectors of the text or its sentences, shape (N, E)
     */
    float[] contextToken(int place, float[][] vectors) {
        return context.apply(contextQueries.length == 0 ? vectors[0] : Rows.pool(contextQueries[place], vectors));
    }

    /** How much a step counts in the pooling, before the softmax. */
    float score(float[] vector, boolean screenColumns) {
        return Rows.dot(screenColumns ? screenQuery : textQuery, vector);
    }

    /** The channel's output, (4, d). The projection is linear and the weights add up to 1: projected steps are pooled. */
    float[][] tokens(float[][] contextTokens, List<ProjectedStep> steps) {
        float[] weights = new float[steps.size()];
        float[][] projected = new float[weights.length][];
        for (int t = 0; t < weights.length; t++) {
            weights[t] = steps.get(t).score();
            projected[t] = steps.get(t).projected();
        }
        Rows.softmax(weights);
        float[][] tokens = new float[positions.length][];
        for (int i = 0; i < contextTokens.length; i++) {
            tokens[i] = contextTokens[i].clone();
        }
        tokens[contextTokens.length] = Rows.weightedSum(weights, projected);
        for (int i = 0; i < tokens.length; i++) {
            Rows.add(positions[i], tokens[i]);
        }
        return encoder.apply(tokens);
    }

    /** (N, d) to (d). */
    float[] readout(float[][] tokens) {
        return Rows.pool(readout, tokens);
    }
}
