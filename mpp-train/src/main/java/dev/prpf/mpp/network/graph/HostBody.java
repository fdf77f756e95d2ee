package dev.prpf.mpp.network.graph;

import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.Operations.Input;
import dev.prpf.mpp.network.host.HostEngine;
import dev.prpf.mpp.network.host.WorkerPool;
import java.nio.FloatBuffer;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Computes the hidden layers on the processor ({@code network.host}), in place on the graph's parameters and gradients. */
final class HostBody implements PerceiverBody {
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
