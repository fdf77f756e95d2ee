package dev.prpf.data.onnx;

import ai.onnxruntime.NodeInfo;
import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxTensorLike;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import ai.onnxruntime.providers.OrtCUDAProviderOptions;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InsufficientMemoryException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A frozen network in ONNX Runtime. Its number of threads is explicit, and threads spin only during a run. {@link #run} is thread-safe. */
public final class OnnxModel implements AutoCloseable {
    private final String name;
    private final OrtSession session;
    private final Map<String, NodeInfo> inputs;
    private final Map<String, NodeInfo> outputs;
    private final @Nullable OperationCount count;

    private OnnxModel(String name, OrtSession session, @Nullable OperationCount count) throws OrtException {
        this.name = name;
        this.session = session;
        this.inputs = session.getInputInfo();
        this.outputs = session.getOutputInfo();
        this.count = count;
    }

    public record Output(FloatBuffer values, long[] shape) {}

    /**
     * Loads a model file.
     *
     * @param threads threads within one call of {@link #run}
     * @throws PrpfException 69 if the file or the {@linkplain OnnxDevice device} is missing; 65 if the model is invalid or keeps
     *     tensors in other files
     */
    public static OnnxModel load(ModelFile file, int threads) {
        return load(file.name(), file.content(), threads);
    }

    /**
     * Loads a model from memory.
     *
     * @param name the model's name for messages
     * @param threads threads within one call of {@link #run}
     * @throws PrpfException 69 if the {@linkplain OnnxDevice device} is missing; 65 if the model is invalid or keeps tensors in
     *     other files
     */
    public static OnnxModel load(String name, ByteBuffer model, int threads) {
        SelfContained.require(name, model);
        OnnxDevice device = OnnxDevice.chosen();
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.setIntraOpNumThreads(threads);
            options.setInterOpNumThreads(1);
            // Threads spin between the operators of a run; after the run they release the cores.
            options.addConfigEntry("session.intra_op.allow_spinning", threads > 1 ? "1" : "0");
            options.addConfigEntry("session.force_spinning_stop", "1");
            options.addConfigEntry("session.inter_op.allow_spinning", "0");
            // The arena would keep the largest activation of every shape; lines and texts have hundreds of shapes.
            options.setCPUArenaAllocator(false);
            options.setMemoryPatternOptimization(false);
            device.addTo(options);
            OperationCount count = OperationCount.watch(options, name);
            OrtEnvironment environment = OrtEnvironment.getEnvironment();
            OrtSession session = model.hasArray() && model.arrayOffset() == 0
                    ? environment.createSession(model.array(), options)
                    : environment.createSession(model, options);
            return new OnnxModel(name, session, count);
        } catch (OrtException e) {
            throw device.refusal(name, e);
        }
    }

    /**
     * Rejects a model larger than an ONNX file can be: lengths in Protocol Buffers have 31 bits.
     *
     * @throws PrpfException 65
     */
    public static void requireSize(String name, long bytes) {
        if (bytes > Integer.MAX_VALUE) {
            throw new InvalidDataException("model file " + name + ": a network of " + bytes
                    + " bytes, must be smaller than 2 GiB (2^31 bytes), the limit of ONNX; use a smaller model");
        }
    }

    public Set<String> inputs() {
        return inputs.keySet();
    }

    /**
     * Returns the shape of the only input, -1 for a free dimension.
     *
     * @throws PrpfException 65 if it is not a float32 tensor
     */
    public long[] floatShape() {
        Map.Entry<String, NodeInfo> input = inputs.entrySet().iterator().next();
        if (input.getValue().getInfo() instanceof TensorInfo tensor && tensor.type == OnnxJavaType.FLOAT) {
            return tensor.getShape();
        }
        throw new InvalidDataException(name + ": input " + input.getKey() + " must be a float32 tensor");
    }

    /**
     * Returns the output with the preferred name, else the only output with a number of dimensions.
     *
     * @throws PrpfException 65, naming the outputs, if neither exists
     */
    public String outputOfRank(int rank, String preferred) {
        if (outputs.containsKey(preferred)) {
            return preferred;
        }
        List<String> fitting = outputs.entrySet().stream()
                .filter(e -> e.getValue().getInfo() instanceof TensorInfo tensor && tensor.getShape().length == rank)
                .map(Map.Entry::getKey)
                .toList();
        if (fitting.size() != 1) {
            throw new InvalidDataException(name + ": has outputs " + outputs.keySet() + ", needs \"" + preferred
                    + "\" or exactly one of " + rank + " dimensions");
        }
        return fitting.get(0);
    }

    /** Runs a network of one input and copies its first output. */
    public Output run(long[] shape, float[] values) {
        return run(shape, values, outputs.keySet().iterator().next());
    }

    /** Runs a network of one input as far as one output needs, and copies this output. */
    public Output run(long[] shape, float[] values, String output) {
        try (OnnxTensor input =
                OnnxTensor.createTensor(OrtEnvironment.getEnvironment(), FloatBuffer.wrap(values), shape)) {
            return run(Map.of(inputs.keySet().iterator().next(), input), output);
        } catch (OrtException e) {
            throw failure(name, e);
        }
    }

    /** Runs int64 inputs of one shape like {@link #run(long[], float[], String)}. Inputs that the network lacks are ignored. */
    public Output run(long[] shape, Map<String, long[]> values, String output) {
        Map<String, OnnxTensorLike> tensors = new LinkedHashMap<>();
        try {
            for (Map.Entry<String, long[]> entry : values.entrySet()) {
                if (inputs.containsKey(entry.getKey())) {
                    LongBuffer content = LongBuffer.wrap(entry.getValue());
                    tensors.put(
                            entry.getKey(), OnnxTensor.createTensor(OrtEnvironment.getEnvironment(), content, shape));
                }
            }
            return run(tensors, output);
        } catch (OrtException e) {
            throw failure(name, e);
        } finally {
            tensors.values().forEach(OnnxTensorLike::close);
        }
    }

    private Output run(Map<String, ? extends OnnxTensorLike> tensors, String output) throws OrtException {
        try (OrtSession.Result result = session.run(tensors, Set.of(output))) {
            OnnxTensor tensor = (OnnxTensor) result.get(0);
            return new Output(tensor.getFloatBuffer(), tensor.getInfo().getShape());
        }
    }

    /** Returns the error for a failed run, with status 3 if ONNX Runtime or CUDA had no memory left. */
    static RuntimeException failure(String model, OrtException e) {
        String message = "model " + model + " failed: " + e.getMessage();
        return InsufficientMemoryException.isMeantBy(message)
                ? new InsufficientMemoryException(
                        message + "; encode fewer texts or images at once, run encoders on the"
                                + " CPU (without -Dprpf.encoders.device), or free memory there")
                : new IllegalStateException(message, e);
    }

    @Override
    public void close() {
        try {
            if (count != null) {
                count.add(Path.of(session.endProfiling()));
            }
            session.close();
        } catch (OrtException e) {
            throw failure(name, e);
        }
    }

    /** The device of frozen networks: the CPU, or the first GPU if the property {@link #PROPERTY} is {@code cuda}. No fallback. */
    public enum OnnxDevice {
        CPU,
        CUDA;

        public static final String PROPERTY = "prpf.encoders.device";

        /** @throws PrpfException 2 if the property is neither {@code cpu} nor {@code cuda} */
        public static OnnxDevice chosen() {
            String name = System.getProperty(PROPERTY, "cpu");
            return switch (name) {
                case "cpu" -> CPU;
                case "cuda" -> CUDA;
                default -> throw new UsageException("-D" + PROPERTY + "=" + name + ": must be cpu or cuda");
            };
        }

        /**
         * Sets the device of a session; operators without a CUDA kernel run on the CPU. The arena grows only by the requested bytes,
         * since libtorch needs the rest of the card. Convolution algorithms are chosen by heuristic; a search would run for every new
         * image size.
         */
        void addTo(OrtSession.SessionOptions options) throws OrtException {
            if (this == CUDA) {
                try (OrtCUDAProviderOptions cuda = new OrtCUDAProviderOptions(0)) {
                    cuda.add("arena_extend_strategy", "kSameAsRequested");
                    cuda.add("cudnn_conv_algo_search", "HEURISTIC");
                    options.addCUDA(cuda);
                }
            }
        }

        /** Returns the error for a failed session: 69 if CUDA cannot be used, else 65 for the model. */
        PrpfException refusal(String model, OrtException cause) {
            if (this == CUDA && String.valueOf(cause.getMessage()).contains("CUDA")) {
                return new UnavailableException("-D" + PROPERTY + "=cuda, and ONNX Runtime cannot use a GPU: "
                        + cause.getMessage() + "; remove the property, or see docs/GPU.md for the"
                        + " required build and libraries");
            }
            return new InvalidDataException(
                    "model file " + model + " cannot be loaded by ONNX Runtime: " + cause.getMessage(), cause);
        }
    }

    /** Rejects ONNX models with tensors in other files, before they are loaded. ONNX Runtime would read any file that such a tensor names. */
    static final class SelfContained {
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
                        && (field.number() == EXTERNAL_DATA
                                || (field.number() == DATA_LOCATION && field.value() != 0))) {
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
}
