package dev.prpf.data.onnx;

import dev.prpf.base.files.ProtoMessage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes a text encoder that returns only the first token's vector faster: the named operators then compute one position
 * instead of all. All other bytes, such as weights, stay unchanged.
 *
 * @param inputOf by the operator's output, the input of shape (B, T, …) that is reduced to its first position, shape (B, 1, …)
 */
public record OnnxRewiring(Map<String, String> inputOf) {
    /** Fields of ONNX's ModelProto, GraphProto and NodeProto. */
    private static final int GRAPH = 7;

    private static final int NODE = 1;
    private static final int INPUT = 1;
    private static final int OUTPUT = 2;

    private static final String ZERO = "first-position-index";

    /**
     * Rewires operators of a model.
     *
     * @return the changed model, on the heap
     * @throws IllegalStateException if no operator has a named output, or it lacks the input
     */
    public ByteBuffer of(ByteBuffer model) {
        Set<String> missing = new HashSet<>(inputOf.keySet());
        missing.addAll(inputOf.values());
        ProtoMessage changed = new ProtoMessage();
        for (ProtoField field : ProtoField.of(model)) {
            if (field.number() == GRAPH) {
                changed.message(GRAPH, graph(field.payload(), missing));
            } else {
                changed.raw(field.whole());
            }
        }
        if (!missing.isEmpty()) {
            throw new IllegalStateException("no operator of the model has output " + missing);
        }
        return changed.onHeap();
    }

    private ProtoMessage graph(ByteBuffer graph, Set<String> missing) {
        ProtoMessage changed = new ProtoMessage();
        ByteBuffer zero = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        changed.message(OnnxGraph.INITIALIZER, OnnxGraph.tensor(ZERO, new long[] {1}, OnnxGraph.INT64, zero));
        for (ProtoField field : ProtoField.of(graph)) {
            if (field.number() == NODE) {
                missing.removeAll(node(changed, field));
            } else {
                changed.raw(field.whole());
            }
        }
        return changed;
    }

    /** Adds an operator, followed by the first position of its output where needed; returns its outputs. */
    private List<String> node(ProtoMessage graph, ProtoField node) {
        List<String> outputs = ProtoField.of(node.payload()).stream()
                .filter(field -> field.number() == OUTPUT)
                .map(ProtoField::text)
                .toList();
        outputs.stream()
                .filter(inputOf::containsKey)
                .findFirst()
                .ifPresentOrElse(output -> graph.message(NODE, rewired(node, output)), () -> graph.raw(node.whole()));
        for (String output : outputs) {
            if (inputOf.containsValue(output)) { // right after its operator: nodes are in execution order
                OnnxGraph.Attribute axis = OnnxGraph.Attribute.of("axis", 1);
                graph.message(NODE, OnnxGraph.operator(first(output), "Gather", List.of(output, ZERO), axis));
            }
        }
        return outputs;
    }

    private ProtoMessage rewired(ProtoField node, String output) {
        String input = inputOf.getOrDefault(output, "");
        ProtoMessage changed = new ProtoMessage();
        List<String> inputs = new ArrayList<>();
        for (ProtoField field : ProtoField.of(node.payload())) {
            if (field.number() == INPUT && field.text().equals(input)) {
                changed.text(INPUT, first(input));
                inputs.add(input);
            } else {
                changed.raw(field.whole());
            }
        }
        if (inputs.isEmpty()) {
            throw new IllegalStateException("the operator with output " + output + " has no input " + input);
        }
        return changed;
    }

    private static String first(String value) {
        return value + "-first";
    }
}
