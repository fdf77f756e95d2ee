package dev.prpf.mpp.network.graph;

import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.Operations.Input;
import dev.prpf.mpp.network.host.HostEngine;
import dev.prpf.mpp.network.host.WorkerPool;
import java.nio.FloatBuffer;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.gradient.DefaultGradient;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.layers.samediff.SameDiffGraphVertex;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

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

    /** Computes the hidden layers on the processor ({@code network.host}), in place on the graph's parameters and gradients. */
    static final class HostBody implements PerceiverBody {
        private final NetworkShape shape;
        private final List<Input> read;
        private final HostEngine engine;

        /** @param parameters flat, in floats; the graph keeps them alive */
        HostBody(NetworkShape shape, INDArray parameters, long seed) {
            this.shape = shape;
            this.read = PerceiverInputs.read(shape);
            this.engine = HostEngine.body(shape, HostMemory.of(parameters), seed, WorkerPool.defaultThreads());
        }

        @Override
        public void gradients(INDArray flat, Map<String, INDArray> byName) {
            engine.gradients(HostMemory.of(flat));
        }

        @Override
        public INDArray forward(INDArray[] inputs, long step) {
            Map<Input, FloatBuffer> values = new EnumMap<>(Input.class);
            for (int i = 0; i < inputs.length; i++) {
                values.put(read.get(i), HostMemory.read(inputs[i]));
            }
            int rows = Math.toIntExact(inputs[0].size(0));
            int steps = PerceiverInputs.steps(shape, inputs);
            INDArray hidden = Nd4j.createUninitialized(
                    DataType.FLOAT, rows, 2L * shape.transformer().dimension());
            FloatBuffer into = HostMemory.of(hidden).asBuffer();
            if (step == INFERENCE) {
                engine.infer(values, rows, steps, into);
            } else {
                engine.forward(values, rows, steps, step, into);
            }
            return hidden;
        }

        @Override
        public void backward(INDArray gradient) {
            engine.backward(HostMemory.read(gradient));
        }
    }
}
