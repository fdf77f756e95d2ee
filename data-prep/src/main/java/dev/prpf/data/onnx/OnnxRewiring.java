package dev.prpf.data.onnx;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A finished model some of whose operators are to work on the first position only. All else, weights above all, stays byte for byte
 * what it was.
 */
public final class OnnxRewiring {
    /** Fields of ONNX's ModelProto, GraphProto and NodeProto. */
    private static final int GRAPH = 7;

    private static final int NODE = 1;
    private static final int INPUT = 1;
    private static final int OUTPUT = 2;

    private static final String ZERO = "first-position-index";

    /** Values whose first position is asked for. */
    private final Set<String> shortened = new HashSet<>();
    /** The input to be replaced by the operator's output. */
    private final Map<String, String> inputOf = new HashMap<>();
    /** Values whose operator is not met yet. */
    private final Set<String> missing = new HashSet<>();

    /**
     * The operator that gives {@code output} takes, instead of {@code input} of shape (B, T, …), its first position alone, shape
     * (B, 1, …).
     */
    public OnnxRewiring takesFirstOf(String output, String input) {
        inputOf.put(output, input);
        shortened.add(input);
        return this;
    }

    /**
     * The model so changed.
     *
     * @param model an ONNX model
     * @return as {@code OrtEnvironment.createSession} takes it
     * @throws IllegalStateException if no operator gives a value that was named, or it lacks the input
     */
    public byte[] of(byte[] model) {
        missing.clear();
        missing.addAll(inputOf.keySet());
        missing.addAll(shortened);
        ProtoMessage changed = new ProtoMessage();
        for (ProtoField field : ProtoField.of(ByteBuffer.wrap(model))) {
            if (field.number() == GRAPH) {
                changed.message(GRAPH, graph(field.payload()));
            } else {
                changed.raw(field.whole());
            }
        }
        if (!missing.isEmpty()) {
            throw new IllegalStateException("no operator of the model gives " + missing);
        }
        return changed.toArray();
    }

    private ProtoMessage graph(ByteBuffer graph) {
        ProtoMessage changed = new ProtoMessage();
        ByteBuffer zero = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        changed.message(OnnxGraph.INITIALIZER, OnnxGraph.tensor(ZERO, new long[] {1}, OnnxGraph.INT64, zero));
        for (ProtoField field : ProtoField.of(graph)) {
            if (field.number() == NODE) {
                node(changed, field);
            } else {
                changed.raw(field.whole());
            }
        }
        return changed;
    }

    private void node(ProtoMessage graph, ProtoField node) {
        List<String> outputs = new ArrayList<>();
        for (ProtoField field : ProtoField.of(node.payload())) {
            if (field.number() == OUTPUT) {
                outputs.add(text(field));
            }
        }
        missing.removeAll(outputs);
        String input = outputs.stream()
                .map(inputOf::get)
                .filter(name -> name != null)
                .findFirst()
                .orElse("");
        if (input.isEmpty()) {
            graph.raw(node.whole());
        } else {
            graph.message(NODE, rewired(node, input, outputs));
        }
        for (String output : outputs) {
            if (shortened.contains(output)) { // right behind its operator: nodes stand in order of computation
                graph.message(
                        NODE,
                        OnnxGraph.operator(
                                first(output), "Gather", List.of(output, ZERO), OnnxGraph.Attribute.of("axis", 1)));
            }
        }
    }

    private ProtoMessage rewired(ProtoField node, String input, List<String> outputs) {
        ProtoMessage changed = new ProtoMessage();
        boolean found = false;
        for (ProtoField field : ProtoField.of(node.payload())) {
            if (field.number() == INPUT && text(field).equals(input)) {
                changed.text(INPUT, first(input));
                found = true;
            } else {
                changed.raw(field.whole());
            }
        }
        if (!found) {
            throw new IllegalStateException("the operator that gives " + outputs + " does not take " + input);
        }
        return changed;
    }

    private static String first(String value) {
        return value + "-first";
    }

    private static String text(ProtoField field) {
        return StandardCharsets.UTF_8.decode(field.payload().duplicate()).toString();
    }
}
