package dev.prpf.mpp.network.graph;

import dev.prpf.mpp.network.host.AdamW;
import dev.prpf.mpp.network.host.WorkerPool;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.deeplearning4j.nn.api.Trainable;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.updater.graph.ComputationGraphUpdater;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.deeplearning4j.optimize.api.StepFunction;
import org.deeplearning4j.optimize.solvers.accumulation.BasicGradientsAccumulator;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.regularization.Regularization;
import org.nd4j.linalg.learning.regularization.WeightDecay;

/**
 * Makes a graph's optimizer step faster on the processor: one multi-threaded pass over all parameters. DL4J's updater, weight decay and
 * step take one single-threaded pass each. Here the updater leaves the gradients unchanged, and the accumulator takes the whole step.
 */
final class GraphAdamW extends BasicGradientsAccumulator {
    private static final long serialVersionUID = 1L;

    private final transient AdamW adam;
    private final transient AdamW.Arrays arrays;
    private final IUpdater config;
    private int iteration;
    private int epoch;

    private GraphAdamW(AdamMoments.Updater updater, Deferred deferred, ComputationGraph graph) {
        super(1);
        config = updater.getConfig();
        adam = new AdamW(deferred.runs(), WorkerPool.defaultThreads());
        arrays = new AdamW.Arrays(
                HostMemory.of(graph.params()).asBuffer(),
                HostMemory.of(graph.getFlattenedGradients()).asBuffer(),
                HostMemory.of(updater.getM()).asBuffer(),
                HostMemory.of(updater.getV()).asBuffer());
    }

    /**
     * Replaces the optimizer step of a graph and takes over the updater's state. Does nothing unless {@link AdamMoments} updates all
     * parameters, as floats in host memory.
     */
    static ComputationGraph install(ComputationGraph graph) {
        ComputationGraphUpdater updater = graph.getUpdater();
        if (HostMemory.holds(graph.params().dataType())
                && updater.getUpdaterBlocks().size() == 1
                && updater.getUpdaterBlocks().get(0).getGradientUpdater() instanceof AdamMoments.Updater moments) {
            Deferred deferred = new Deferred(graph, updater.getStateViewArray());
            graph.setUpdater(deferred);
            graph.setGradientsAccumulator(new GraphAdamW(moments, deferred, graph));
        }
        return graph;
    }

    @Override
    public void storeUpdate(INDArray gradients, int iterationNumber, int epochNumber) {
        iteration = iterationNumber;
        epoch = epochNumber;
    }

    @Override
    public void applyUpdate(StepFunction function, INDArray params, INDArray gradients, boolean isFinalStep) {
        adam.step(arrays, config.getLearningRate(iteration, epoch), iteration + 1.0);
    }

    /** Holds the state of {@link AdamMoments} without changing gradients. */
    private static final class Deferred extends ComputationGraphUpdater {
        private static final long serialVersionUID = 1L;

        Deferred(ComputationGraph graph, INDArray state) {
            super(graph, state);
        }

        @Override
        public void update(Gradient gradient, int iteration, int epoch, int batchSize, LayerWorkspaceMgr workspaces) {
            // the accumulator updates
        }

        private List<AdamW.Run> runs() {
            List<AdamW.Run> runs = new ArrayList<>();
            for (Trainable layer : getOrderedLayers()) {
                layer.paramTable(false).forEach((name, array) -> {
                    List<Regularization> decays = layer.getConfig().getRegularizationByParam(name);
                    double decay = Objects.requireNonNullElse(decays, List.<Regularization>of()).stream()
                            .mapToDouble(own -> ((WeightDecay) own).getCoeff().valueAt(0, 0))
                            .sum();
                    runs.add(new AdamW.Run(Math.toIntExact(array.length()), decay));
                });
            }
            return runs;
        }
    }
}
