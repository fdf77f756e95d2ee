package dev.prpf.mpp.network.graph;

import dev.prpf.mpp.network.host.AdamStep;
import dev.prpf.mpp.network.host.WorkerPool;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.AdamUpdater;
import org.nd4j.linalg.learning.config.Adam;

/** Replaces gradients by Adam's updates: floats on the processor in one multi-threaded pass, other arrays by ND4J's operation. */
final class AdamMomentsUpdater extends AdamUpdater {
    AdamMomentsUpdater(Adam config) {
        super(config);
    }

    @Override
    public void applyUpdater(INDArray gradient, int iteration, int epoch) {
        double rate = getConfig().getLearningRate(iteration, epoch);
        if (HostMemory.holds(gradient.dataType())) {
            new AdamStep(rate, iteration + 1L)
                    .apply(
                            HostMemory.of(gradient).asBuffer(),
                            HostMemory.of(getM()).asBuffer(),
                            HostMemory.of(getV()).asBuffer(),
                            WorkerPool.defaultThreads());
        } else {
            double beta2 = getConfig().getBeta2();
            double epsilon = getConfig().getEpsilon() * Math.sqrt(1 - Math.pow(beta2, iteration + 1.0));
            Nd4j.exec(new org.nd4j.linalg.api.ops.impl.updaters.AdamUpdater(
                    gradient, getV(), getM(), rate, getConfig().getBeta1(), beta2, epsilon, iteration));
        }
    }
}
