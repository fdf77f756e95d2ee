package dev.prpf.data.onnx;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.nio.ByteBuffer;
import java.util.Map;

/** Rejects ONNX models with tensors in other files, before they are loaded. ONNX Runtime would read any file that such a tensor names. */
final class SelfContained {
    private static final int TENSOR_NAME = 8;
    private static final int EXTERNAL_DATA = 13;
    private static final int DATA_LOCATION = 14;
    private static final int MAX_DEPTH = 100;

    /** The messages of onnx.proto that may contain a tensor, with their fields. */
    private enum Message {
        MODEL,
        TRAINING,
        GRAPH,
        FUNCTION,
        NODE,
        ATTRIBUTE,
        SPARSE_TENSOR,
        TENSOR;

        private Map<Integer, Message> fields() {
            return switch (this) {
                case MODEL -> Map.of(7, GRAPH, 20, TRAINING, 25, FUNCTION);
                case TRAINING -> Map.of(1, GRAPH, 2, GRAPH);
                case GRAPH -> Map.of(1, NODE, 5, TENSOR, 15, SPARSE_TENSOR);
                case FUNCTION -> Map.of(7, NODE, 11, ATTRIBUTE);
                case NODE -> Map.of(5, ATTRIBUTE);
                case ATTRIBUTE ->
                    Map.of(5, TENSOR, 6, GRAPH, 10, TENSOR, 11, GRAPH, 22, SPARSE_TENSOR, 23, SPARSE_TENSOR);
                case SPARSE_TENSOR -> Map.of(1, TENSOR, 2, TENSOR);
                case TENSOR -> Map.of();
            };
        }
    }

    private SelfContained() {}

    /**
     * Rejects a model that names other files.
     *
     * @param name the model's name for messages
     * @throws PrpfException 65, naming the tensor, if its values are in another file, or if the model is invalid
     */
    static void require(String name, ByteBuffer model) {
        try {
            check(name, Message.MODEL, model, 0);
        } catch (IllegalStateException e) {
            throw new InvalidDataException(
                    "model file " + name + " cannot be loaded by ONNX Runtime: it is not an ONNX model: "
                            + e.getMessage(),
                    e);
        }
    }

    private static void check(String name, Message message, ByteBuffer content, int depth) {
        if (depth > MAX_DEPTH) {
            throw new IllegalStateException("its messages are nested more than " + MAX_DEPTH + " deep");
        }
        Map<Integer, Message> fields = message.fields();
        for (ProtoField field : ProtoField.of(content)) {
            Message inner = fields.get(field.number());
            if (inner != null) {
                check(name, inner, field.payload(), depth + 1);
            } else if (message == Message.TENSOR
                    && (field.number() == EXTERNAL_DATA || (field.number() == DATA_LOCATION && field.value() != 0))) {
                throw new InvalidDataException("model file " + name + ": the values of tensor \"" + name(content)
                        + "\" are in another file (external_data), which is not read; save the model in one file"
                        + " (onnx.save_model with save_as_external_data=False)");
            }
        }
    }

    private static String name(ByteBuffer tensor) {
        return ProtoField.of(tensor).stream()
                .filter(field -> field.number() == TENSOR_NAME)
                .map(ProtoField::text)
                .findFirst()
                .orElse("");
    }
}
