package dev.prpf.mpp.network.definition;

import java.nio.FloatBuffer;
import java.util.List;

/**
 * Runs a network. Parameters and gradients lie flat, one array after the other in the order of {@link #parameters()}. Not for use by two
 * threads at once.
 */
public interface NetworkEngine extends AutoCloseable {
    /** The trainable arrays, in their flat order. */
    List<Parameter> parameters();

    /** The parameters' values; after a change, {@link #valuesChanged} must be called before the next pass. */
    FloatBuffer values();

    void valuesChanged();

    /** d loss / d parameters of the last {@link #backward}. */
    FloatBuffer gradients();

    /** Logits without dropout, one row for each of the batch: the trigger's, then the scenarios', (B, 1 + S). */
    double[][] infer(FeatureBatch batch);

    /** The same with dropout, whose masks follow from the optimizer steps taken; to be followed by {@link #backward}. */
    double[][] forward(FeatureBatch batch, long step);

    /** The gradients, of the batch of the last {@link #forward}, by d loss / d logits, (B, 1 + S). */
    void backward(double[][] gradient);

    /** Forgets what was prepared for batches seen so far. */
    @Override
    void close();
}
