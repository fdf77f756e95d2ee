package dev.prpf.mpp.network.graph;

import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Computes the network up to the heads' hidden layers ({@link dev.prpf.mpp.network.definition.PerceiverDefinition#hidden}), forward and
 * backward, on the parameters of a graph. Axes: B batch, d width.
 */
interface PerceiverBody {
    /** The step of an inference pass: without dropout, and without a backward pass after it. */
    long INFERENCE = -1;

    /** Sets the arrays that backward passes write gradients to: one flat view, and its parts by parameter. */
    void gradients(INDArray flat, Map<String, INDArray> byName);

    /**
     * Computes the hidden layers of both heads, concatenated: (B, 2d).
     *
     * @param inputs one row for each sample, see {@link PerceiverInputs}
     * @param step optimizer steps taken so far, which seed dropout's masks, or {@link #INFERENCE}
     */
    INDArray forward(INDArray[] inputs, long step);

    /** Writes the gradients of the last training pass, given d loss / d outputs, (B, 2d). */
    void backward(INDArray gradient);
}
