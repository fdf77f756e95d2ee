package dev.prpf.mpp.network.graph;

import org.deeplearning4j.nn.gradient.DefaultGradient;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.layers.samediff.SameDiffGraphVertex;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Runs a {@link PerceiverVertex}: floats on the processor with {@link HostBody}, anything else with {@link SameDiffBody}. */
@SuppressWarnings("overrides") // setInputs is varargs in DL4J's interface but not in its class
final class PerceiverVertexPass extends SameDiffGraphVertex {
    private static final long serialVersionUID = 1L;

    private final transient PerceiverBody body;

    PerceiverVertexPass(
            PerceiverVertex config,
            ComputationGraph graph,
            int index,
            INDArray parameters,
            boolean initialize,
            DataType type) {
        super(config, graph, config.getName(), index, parameters, initialize, type);
        body = HostMemory.holds(type)
                ? new HostBody(config.getShape(), parameters, config.getSeed())
                : new SameDiffBody(config.getShape(), paramTable, type, config.getSeed());
    }

    @Override
    public void setBackpropGradientsViewArray(INDArray view) {
        super.setBackpropGradientsViewArray(view);
        gradients = view;
        body.gradients(view, gradTable);
    }

    @Override
    public INDArray doForward(boolean training, LayerWorkspaceMgr workspaces) {
        if (training && gradTable == null) {
            graph.initGradientsView(); // except in fit, DL4J makes it only after the first forward pass
        }
        return body.forward(inputs, training ? graph.getIterationCount() : PerceiverBody.INFERENCE);
    }

    @Override
    public Pair<Gradient, INDArray[]> doBackward(boolean truncated, LayerWorkspaceMgr workspaces) {
        body.backward(epsilon);
        Gradient gradient = new DefaultGradient();
        gradTable.forEach(gradient.gradientForVariable()::put);
        return new Pair<>(gradient, new INDArray[inputs.length]); // the network's inputs need no gradients
    }

    @Override
    public String toString() {
        return "PerceiverVertexPass(" + getVertexName() + ")";
    }
}
