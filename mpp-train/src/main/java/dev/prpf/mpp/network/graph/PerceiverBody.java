package dev.prpf.mpp.network.graph;

import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The passes of {@link dev.prpf.mpp.network.definition.PerceiverDefinition#hidden} over the parameters of a graph, which are read where
 * they are. Axes: B batch, d width.
 */
interface PerceiverBody {
    /** The optimizer step of a pass in which nothing is dropped and after which no backward pass comes. */
    long INFERENCE = -1;

    /** Sets where backward passes write the gradients: one flat view, and the same by parameter. */
    void gradients(INDArray flat, Map<String, INDArray> byName);

    /**
     * The hidden layers of both heads side by side, (B, 2d).
     *
     * @param inputs one row a sample, see {@link PerceiverInputs}
     * @param step optimizer steps taken, from which dropout's masks follow, or {@link #INFERENCE}
     */
    INDArray forward(INDArray[] inputs, long step);

    /** Writes the gradients for the inputs of the last training pass, by d loss / d outputs, (B, 2d). */
    void backward(INDArray gradient);
}
