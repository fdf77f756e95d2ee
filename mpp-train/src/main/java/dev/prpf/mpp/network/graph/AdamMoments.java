package dev.prpf.mpp.network.graph;

import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.GradientUpdater;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * Adam in one fused pass. As in PyTorch, ε is added to the root after bias correction; ND4J's Adam adds it before. With DL4J's
 * {@code WeightDecay} it is AdamW (PRPF Table 4).
 */
public final class AdamMoments extends Adam {
    private static final long serialVersionUID = 1L;

    /** @param learningRate step size */
    public AdamMoments(@JsonProperty("learningRate") double learningRate) {
        super(learningRate);
    }

    @Override
    public GradientUpdater<Adam> instantiate(INDArray viewArray, boolean initializeViewArray) {
        AdamMomentsUpdater updater = new AdamMomentsUpdater(this);
        updater.setStateViewArray(viewArray, new long[] {viewArray.length() / 2}, 'c', initializeViewArray);
        return updater;
    }

    @Override
    public GradientUpdater<Adam> instantiate(Map<String, INDArray> updaterState, boolean initializeStateArrays) {
        AdamMomentsUpdater updater = new AdamMomentsUpdater(this);
        updater.setState(updaterState, initializeStateArrays);
        return updater;
    }

    @Override
    public AdamMoments clone() {
        return new AdamMoments(getLearningRate());
    }
}
