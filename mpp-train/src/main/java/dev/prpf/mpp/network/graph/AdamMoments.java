package dev.prpf.mpp.network.graph;

import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.AdamUpdater;
import org.nd4j.linalg.learning.GradientUpdater;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * PyTorch's Adam, which adds ε to the root after bias correction; ND4J's Adam adds it before. Together with DL4J's {@code WeightDecay} it is
 * AdamW (PRPF Table 4).
 */
public final class AdamMoments extends Adam {
    private static final long serialVersionUID = 1L;

    /** @param learningRate step size */
    public AdamMoments(@JsonProperty("learningRate") double learningRate) {
        super(learningRate);
    }

    @Override
    public GradientUpdater<Adam> instantiate(INDArray viewArray, boolean initializeViewArray) {
        Updater updater = new Updater(this);
        updater.setStateViewArray(viewArray, new long[] {viewArray.length() / 2}, 'c', initializeViewArray);
        return updater;
    }

    @Override
    public GradientUpdater<Adam> instantiate(Map<String, INDArray> updaterState, boolean initializeStateArrays) {
        Updater updater = new Updater(this);
        updater.setState(updaterState, initializeStateArrays);
        return updater;
    }

    @Override
    public AdamMoments clone() {
        return new AdamMoments(getLearningRate());
    }

    /** Replaces gradients by Adam's updates. */
    static final class Updater extends AdamUpdater {
        Updater(Adam config) {
            super(config);
        }

        @Override
        public void applyUpdater(INDArray gradient, int iteration, int epoch) {
            Adam adam = getConfig();
            double epsilon = adam.getEpsilon() * Math.sqrt(1 - Math.pow(adam.getBeta2(), iteration + 1.0));
            Nd4j.exec(new org.nd4j.linalg.api.ops.impl.updaters.AdamUpdater(
                    gradient,
                    getV(),
                    getM(),
                    adam.getLearningRate(iteration, epoch),
                    adam.getBeta1(),
                    adam.getBeta2(),
                    epsilon,
                    iteration));
        }
    }
}
