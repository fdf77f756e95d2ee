package dev.prpf.mpp.network.graph;

import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.Operations.DropoutSite;
import dev.prpf.mpp.network.definition.Operations.Input;
import dev.prpf.mpp.network.definition.Operations.Size;
import dev.prpf.mpp.network.definition.PerceiverDefinition;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.autodiff.samediff.array.SingleThreadArrayHolder;
import org.nd4j.autodiff.samediff.internal.InferenceSession;
import org.nd4j.autodiff.samediff.internal.memory.NoOpMemoryMgr;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Computes the hidden layers with SameDiff's operations and automatic gradients, on any device, in floats or doubles. */
final class SameDiffBody implements PerceiverBody {
    private static final String COTANGENT = "cotangent";

    static {
        SameDiff.bindInferenceFactory(SameDiffBody::withoutCache);
    }

    private final NetworkShape shape;
    private final long seed;
    private final DataType type;
    private final Map<String, INDArray> parameters;
    private final Map<Integer, Graph> graphs = new HashMap<>(); // by T
    private Map<String, INDArray> gradients = Map.of();
    private @Nullable Pass last;

    /** @param parameters views of the graph's parameters, by name */
    SameDiffBody(NetworkShape shape, Map<String, INDArray> parameters, DataType type, long seed) {
        this.shape = shape;
        this.parameters = parameters;
        this.type = type;
        this.seed = seed;
    }

    /** The graph for T steps, and the name of its outputs, (B, 2d). */
    private record Graph(SameDiff graph, List<DropoutSite> dropoutSites, String hidden) {}

    /** A forward pass that may be followed by a backward pass. */
    private record Pass(Graph graph, Map<String, INDArray> placeholders) {}

    /** Makes a session without ND4J's array cache, which returns arrays of another memory order in this version. */
    private static InferenceSession withoutCache(SameDiff graph) {
        graph.setEnableCache(false);
        InferenceSession session = new InferenceSession(graph);
        session.setMmgr(new NoOpMemoryMgr());
        return session;
    }

    private Graph graph(int steps) {
        SameDiff graph = SameDiff.create();
        // The default holder copies views, so it would miss updates of the parameters.
        graph.setArrayHolders(new SingleThreadArrayHolder(), new SingleThreadArrayHolder(), false);
        parameters.forEach((name, array) -> graph.var(name, array.dataType(), array.shape()));
        GraphOperations operations = new GraphOperations(graph, shape, type, steps, new ArrayList<>());
        var outputs = new PerceiverDefinition<>(shape, operations).hidden();
        SDVariable hidden =
                graph.concat(1, outputs.trigger().rows(), outputs.scenarios().rows());
        SDVariable cotangent =
                graph.placeHolder(COTANGENT, type, -1, 2L * shape.transformer().dimension());
        hidden.mul(cotangent).sum().markAsLoss(); // its gradient is the vector-Jacobian product
        differentiate(graph);
        for (SameDiff reading : List.of(graph, graph.getFunction("grad"))) { // the gradient graph has its own variables
            parameters.forEach((name, array) -> reading.associateArrayWithVariable(array, reading.getVariable(name)));
        }
        return new Graph(graph, operations.dropoutSites(), hidden.name());
    }

    /**
     * Makes the gradient graph with standard output off, since ND4J prints a line for every operation; synchronized, since threads share it.
     */
    private static synchronized void differentiate(SameDiff graph) {
        PrintStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        try {
            graph.createGradFunction();
        } finally {
            System.setOut(out);
        }
    }

    @Override
    public void gradients(INDArray flat, Map<String, INDArray> byName) {
        gradients = byName;
    }

    @Override
    public INDArray forward(INDArray[] inputs, long step) {
        Pass pass = pass(inputs, step);
        last = step == INFERENCE ? last : pass;
        Map<String, INDArray> outputs = pass.graph.graph.output(pass.placeholders, pass.graph.hidden);
        return Objects.requireNonNull(outputs.get(pass.graph.hidden));
    }

    private Pass pass(INDArray[] inputs, long step) {
        int steps = PerceiverInputs.steps(shape, inputs);
        int rows = Math.toIntExact(inputs[0].size(0));
        Graph graph = graphs.computeIfAbsent(steps, this::graph);
        Map<String, INDArray> placeholders = new HashMap<>();
        List<Input> read = PerceiverInputs.read(shape);
        for (int i = 0; i < inputs.length; i++) {
            Size size = read.get(i).size(shape, steps);
            placeholders.put(read.get(i).name(), inputs[i].reshape('c', (long) rows * size.rows(), size.columns()));
        }
        for (DropoutSite site : graph.dropoutSites) {
            float[] mask = new float[rows * site.size().length()];
            Arrays.fill(mask, 1);
            if (step != INFERENCE) {
                mask = site.mask(rows, shape.transformer().dropout(), seed, step);
            }
            long columns = site.size().columns();
            placeholders.put(
                    site.name(),
                    Nd4j.create(mask, new long[] {mask.length / columns, columns}, 'c')
                            .castTo(type));
        }
        return new Pass(graph, placeholders);
    }

    @Override
    public void backward(INDArray gradient) {
        Pass pass = Objects.requireNonNull(last, "no forward pass before the backward pass");
        pass.placeholders.put(COTANGENT, gradient);
        Map<String, INDArray> computed = pass.graph.graph.calculateGradients(pass.placeholders, parameters.keySet());
        gradients.forEach((name, view) -> view.assign(Objects.requireNonNull(computed.get(name), name)));
    }
}
