package dev.prpf.data.onnx;

import dev.prpf.base.files.ProtoMessage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** A builder of networks with the operators of ONNX opset 17. Methods that add a value return its name, for use as an input. */
public final class OnnxGraph {
    private static final int IR_VERSION = 8;
    private static final int OPSET = 17;
    private static final int FLOAT = 1;
    static final int INT64 = 7;
    /** The field number of a graph's constants. */
    static final int INITIALIZER = 5;

    private final ProtoMessage graph = new ProtoMessage();
    private int values;

    /** @param name of the graph, for messages */
    public OnnxGraph(String name) {
        graph.text(2, name);
    }

    /** Adds a float32 input; a negative dimension may have any length. */
    public String input(String name, long... shape) {
        graph.message(11, valueInfo(name, shape));
        return name;
    }

    /** Declares a value as an output of the network. */
    public void output(String name, long... shape) {
        graph.message(12, valueInfo(name, shape));
    }

    /**
     * Adds a constant float32 tensor.
     *
     * @param data little-endian, row-major; not copied before {@link #toModel()}
     */
    public String weight(String name, long[] shape, ByteBuffer data) {
        graph.message(INITIALIZER, tensor(name, shape, FLOAT, data));
        return name;
    }

    /** Adds a float32 constant without dimensions. */
    public String scalar(float value) {
        ByteBuffer data =
                ByteBuffer.allocate(Float.BYTES).order(ByteOrder.LITTLE_ENDIAN).putFloat(0, value);
        return weight(nextName("scalar"), new long[0], data);
    }

    /** Adds a constant int64 list, for example a shape. */
    public String longs(long... list) {
        ByteBuffer data = ByteBuffer.allocate(list.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        data.asLongBuffer().put(list);
        String name = nextName("longs");
        graph.message(INITIALIZER, tensor(name, new long[] {list.length}, INT64, data));
        return name;
    }

    /** Adds an operator with one output, which gets a new name. */
    public String node(String operator, List<String> inputs, Attribute... attributes) {
        return named(nextName(operator), operator, inputs, attributes);
    }

    /** Adds an operator with one output of this name. */
    public String named(String output, String operator, List<String> inputs, Attribute... attributes) {
        graph.message(1, operator(output, operator, inputs, attributes));
        return output;
    }

    static ProtoMessage operator(String output, String operator, List<String> inputs, Attribute... attributes) {
        ProtoMessage node = new ProtoMessage();
        inputs.forEach(input -> node.text(1, input));
        node.text(2, output).text(3, output).text(4, operator);
        for (Attribute attribute : attributes) {
            node.message(5, attribute.message);
        }
        return node;
    }

    /** Returns the finished model in a direct buffer for {@code OrtEnvironment.createSession}. */
    public ByteBuffer toModel() {
        return new ProtoMessage()
                .integer(1, IR_VERSION)
                .text(2, "prpf")
                .message(7, graph)
                .message(8, new ProtoMessage().text(1, "").integer(2, OPSET))
                .outsideHeap();
    }

    private String nextName(String kind) {
        return kind + "#" + values++;
    }

    static ProtoMessage tensor(String name, long[] shape, int type, ByteBuffer data) {
        ProtoMessage tensor = new ProtoMessage();
        for (long size : shape) {
            tensor.integer(1, size);
        }
        return tensor.integer(2, type).text(8, name).bytes(9, data);
    }

    private static ProtoMessage valueInfo(String name, long[] shape) {
        ProtoMessage dimensions = new ProtoMessage();
        for (long size : shape) {
            dimensions.message(1, size < 0 ? new ProtoMessage().text(2, "batch") : new ProtoMessage().integer(1, size));
        }
        ProtoMessage tensorType = new ProtoMessage().integer(1, FLOAT).message(2, dimensions);
        return new ProtoMessage().text(1, name).message(2, new ProtoMessage().message(1, tensorType));
    }

    /** An attribute of an operator. */
    public record Attribute(ProtoMessage message) {
        public static Attribute of(String name, long value) {
            return new Attribute(
                    new ProtoMessage().text(1, name).integer(3, value).integer(20, 2));
        }

        public static Attribute of(String name, float value) {
            return new Attribute(
                    new ProtoMessage().text(1, name).float32(2, value).integer(20, 1));
        }

        public static Attribute of(String name, long... values) {
            ProtoMessage message = new ProtoMessage().text(1, name);
            for (long value : values) {
                message.integer(8, value);
            }
            return new Attribute(message.integer(20, 7));
        }
    }
}
