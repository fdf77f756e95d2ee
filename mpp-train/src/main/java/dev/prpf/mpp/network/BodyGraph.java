package dev.prpf.mpp.network;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** The body's SameDiff graph for T steps and the graph of its gradients, given the cotangent of z. */
final class BodyGraph {
    /** Placeholder of d loss / d z, shape of z. */
    static final String COTANGENT = "cotangent";

    private static final int GRAPHS_KEPT = 4;
    private static final Map<List<Object>, BodyGraph> RECENT = new LinkedHashMap<>(8, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<List<Object>, BodyGraph> eldest) {
            return size() > GRAPHS_KEPT;
        }
    };

    private final SameDiff forward;
    private final SameDiff backward;
    private final String fusedName;
    private final List<MppBody.DropoutSite> dropoutSites;
    private final DataType type;

    private BodyGraph(SameDiff forward, MppBody body, DataType type) {
        this.forward = forward;
        this.backward = forward.getFunction("grad");
        this.fusedName = body.fused().name();
        this.dropoutSites = List.copyOf(body.dropoutSites());
        this.type = type;
    }

    /** The graph of these dimensions; networks of equal dimensions share it, their arrays live in their plans. */
    static synchronized BodyGraph of(NetworkShape shape, int steps, DataType type) {
        return RECENT.computeIfAbsent(List.of(shape, steps, type), key -> build(shape, steps, type));
    }

    private static BodyGraph build(NetworkShape shape, int steps, DataType type) {
        SameDiff graph = SameDiff.create();
        MppBody body = new MppBody(graph, shape, type, steps);
        SDVariable cotangent = graph.placeHolder(COTANGENT, type, -1, shape.fusedWidth());
        graph.sum("product", body.fused().mul(cotangent)).markAsLoss();
        differentiate(graph);
        return new BodyGraph(graph, body, type);
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

    SameDiff forward() {
        return forward;
    }

    /** Forward and backward in one graph. */
    SameDiff backward() {
        return backward;
    }

    String fusedName() {
        return fusedName;
    }

    List<MppBody.DropoutSite> dropoutSites() {
        return dropoutSites;
    }

    String gradientName(String parameter) {
        return forward.getVariable(parameter).getGradient().name();
    }

    /** Fresh arrays for every placeholder of a batch; ones in dropout masks, so that inference drops nothing. */
    Map<String, INDArray> placeholders(long batch) {
        Map<String, INDArray> arrays = new HashMap<>();
        for (SDVariable variable : forward.variables()) {
            if (variable.isPlaceHolder()) {
                long[] size = variable.placeholderShape().clone();
                size[0] = batch * rows(variable.name());
                arrays.put(variable.name(), Nd4j.ones(type, size));
            }
        }
        return arrays;
    }

    private int rows(String name) {
        return dropoutSites.stream()
                .filter(site -> site.name().equals(name))
                .mapToInt(MppBody.DropoutSite::rows)
                .findFirst()
                .orElse(1);
    }
}
