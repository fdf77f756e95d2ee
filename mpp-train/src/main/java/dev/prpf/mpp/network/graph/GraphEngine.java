package dev.prpf.mpp.network.graph;

import dev.prpf.mpp.network.definition.DropoutSite;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.Input;
import dev.prpf.mpp.network.definition.NetworkEngine;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.NetworkSummary;
import dev.prpf.mpp.network.definition.Parameter;
import dev.prpf.mpp.network.definition.PerceiverDefinition;
import dev.prpf.mpp.network.definition.Size;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.autodiff.samediff.internal.InferenceSession;
import org.nd4j.autodiff.samediff.internal.memory.NoOpMemoryMgr;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** A network run by SameDiff. Values and gradients are copied between the device and the host's flat buffers. */
public final class GraphEngine implements NetworkEngine {
    private static final String COTANGENT = "cotangent";

    static {
        SameDiff.bindInferenceFactory(GraphEngine::withoutCache);
    }

    private final NetworkShape shape;
    private final long seed;
    private final DataType type;
    private final List<Parameter> parameters;
    private final FloatBuffer values;
    private final FloatBuffer gradients;
    private final Map<String, INDArray> arrays = new LinkedHashMap<>();
    private final Map<Integer, Graph> graphs = new HashMap<>(); // by T
    private @Nullable Pass last;

    /** A network of zeros in floats or doubles; the seed is of dropout. */
    public GraphEngine(NetworkShape shape, long seed, DataType type) {
        this.shape = shape;
        this.seed = seed;
        this.type = type;
        parameters = NetworkSummary.of(shape, 1).parameters();
        int length = parameters.stream().mapToInt(Parameter::length).sum();
        values = FloatBuffer.allocate(length);
        gradients = FloatBuffer.allocate(length);
        parameters.forEach(parameter -> arrays.put(parameter.name(), Nd4j.zeros(type, parameter.shape())));
    }

    /** The graph for T steps, and the name of its logits, (B, 1 + S). */
    private record Graph(SameDiff graph, List<DropoutSite> dropoutSites, String logits) {}

    /** A forward pass whose gradients may be asked for. */
    private record Pass(Graph graph, Map<String, INDArray> placeholders) {}

    /** The library's cache of arrays hands out arrays of another memory order in this version. */
    private static InferenceSession withoutCache(SameDiff graph) {
        graph.setEnableCache(false);
        InferenceSession session = new InferenceSession(graph);
        session.setMmgr(new NoOpMemoryMgr());
        return session;
    }

    private Graph graph(int steps) {
        SameDiff graph = SameDiff.create();
        arrays.forEach(graph::var);
        GraphOperations operations = new GraphOperations(graph, shape, type, steps, new ArrayList<>());
        var outputs = new PerceiverDefinition<>(shape, operations).outputs();
        SDVariable logits =
                graph.concat(1, outputs.trigger().rows(), outputs.scenarios().rows());
        SDVariable cotangent = graph.placeHolder(COTANGENT, type, -1, 1 + shape.scenarios());
        logits.mul(cotangent).sum().markAsLoss(); // its gradient is the vector-Jacobian product
        differentiate(graph);
        return new Graph(graph, operations.dropoutSites(), logits.name());
    }

    /** The library prints a line for every operation to standard output, which belongs to results. */
    private static void differentiate(SameDiff graph) {
        PrintStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        try {
            graph.createGradFunction();
        } finally {
            System.setOut(out);
        }
    }

    @Override
    public List<Parameter> parameters() {
        return parameters;
    }

    /** The parameters on the device, by name. */
    Map<String, INDArray> arrays() {
        return arrays;
    }

    @Override
    public FloatBuffer values() {
        return values.duplicate();
    }

    @Override
    public void valuesChanged() {
        FloatBuffer from = values.duplicate();
        for (INDArray array : arrays.values()) {
            float[] own = new float[Math.toIntExact(array.length())];
            from.get(own);
            array.assign(array(own, array.shape()));
        }
    }

    @Override
    public FloatBuffer gradients() {
        return gradients.duplicate();
    }

    private INDArray array(float[] floats, long... size) {
        return Nd4j.create(floats, size, 'c').castTo(type);
    }

    private INDArray rows(float[] floats, Size size) {
        return array(floats, floats.length / size.columns(), size.columns());
    }

    @Override
    public double[][] infer(FeatureBatch batch) {
        return forward(pass(batch, -1));
    }

    @Override
    public double[][] forward(FeatureBatch batch, long step) {
        Pass pass = pass(batch, step);
        last = pass;
        return forward(pass);
    }

    /** @param step optimizer steps taken, or -1 to drop nothing */
    private Pass pass(FeatureBatch batch, long step) {
        Graph graph = graphs.computeIfAbsent(batch.steps(), this::graph);
        Map<String, INDArray> placeholders = new HashMap<>();
        for (Input input : Input.values()) {
            if (input.isRead(shape)) {
                placeholders.put(input.name(), rows(batch.values(input), input.size(shape, batch.steps())));
            }
        }
        for (DropoutSite site : graph.dropoutSites) {
            float[] mask = new float[batch.rows() * site.size().length()];
            Arrays.fill(mask, 1);
            if (step >= 0) {
                mask = site.mask(batch.rows(), shape.transformer().dropout(), seed, step);
            }
            placeholders.put(site.name(), rows(mask, site.size()));
        }
        return new Pass(graph, placeholders);
    }

    private static double[][] forward(Pass pass) {
        Map<String, INDArray> outputs = pass.graph.graph.output(pass.placeholders, pass.graph.logits);
        return Objects.requireNonNull(outputs.get(pass.graph.logits)).toDoubleMatrix();
    }

    @Override
    public void backward(double[][] gradient) {
        Pass pass = Objects.requireNonNull(last, "no forward pass before the backward pass");
        pass.placeholders.put(COTANGENT, Nd4j.create(gradient).castTo(type));
        Map<String, INDArray> computed = pass.graph.graph.calculateGradients(pass.placeholders, arrays.keySet());
        FloatBuffer into = gradients.duplicate();
        for (String name : arrays.keySet()) {
            into.put(Objects.requireNonNull(computed.get(name), name)
                    .dup('c')
                    .reshape(-1)
                    .toFloatVector());
        }
    }

    @Override
    public void close() {
        graphs.clear();
        last = null;
    }
}
