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
 * A change to a finished model: some of its operators work on the first position only. All else, weights above all, stays byte for byte
 * what it was.
 *
 * @param inputOf by an operator's output the one of its inputs, of shape (B, T, …), of which it takes the first position alone, shape
 *     (B, 1, …)
 */
public record OnnxRewiring(Map<String, String> inputOf) {
    /** Fields of ONNX's ModelProto, GraphProto and NodeProto. */
    private static final int GRAPH = 7;

    private static final int NODE = 1;
    private static final int INPUT = 1;
    private static final int OUTPUT = 2;

    private static final String ZERO = "first-position-index";

    public OnnxRewiring {
        inputOf = Map.copyOf(inputOf);
    }

    /**
     * The model so changed.
     *
     * @param model an ONNX model
     * @return the changed one, on the heap
     * @throws IllegalStateException if no operator gives a value that was named, or it lacks the input
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
            throw new IllegalStateException("no operator of the model gives " + missing);
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

    /** Adds an operator, and behind it the first position of its output where that is asked for; returns its outputs. */
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
            if (inputOf.containsValue(output)) { // right behind its operator: nodes stand in order of computation
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
            throw new IllegalStateException("the operator that gives " + output + " does not take " + input);
        }
        return changed;
    }

    private static String first(String value) {
        return value + "-first";
    }
}
