package dev.prpf.data.onnx;

import ai.onnxruntime.NodeInfo;
import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxTensorLike;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import dev.prpf.base.error.InsufficientMemoryException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One frozen network in ONNX Runtime. Its threads are set, never guessed, and spin within a run only; {@link #run} may be called by
 * several threads at once.
 */
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

    /** A float output and its shape. */
    public record Output(FloatBuffer values, long[] shape) {}

    /**
     * Loads a model.
     *
     * @param threads threads within one call of {@link #run}
     * @throws PrpfException 69 if the file or the {@linkplain OnnxDevice device} is missing; 65 if it is no ONNX model, or one that keeps tensors in other files
     */
    public static OnnxModel load(ModelFile file, int threads) {
        return load(file.name(), file.content(), threads);
    }

    /**
     * Loads a model from memory.
     *
     * @param name of the model, for messages
     * @param model its bytes
     * @param threads threads within one call of {@link #run}
     * @throws PrpfException 69 if the {@linkplain OnnxDevice device} is missing; 65 if it is no ONNX model, or one that keeps tensors in
     *     other files
     */
    public static OnnxModel load(String name, ByteBuffer model, int threads) {
        SelfContained.require(name, model);
        OnnxDevice device = OnnxDevice.chosen();
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.setIntraOpNumThreads(threads);
            options.setInterOpNumThreads(1);
            // Threads of one run wait for its next operator without sleeping; after the run they leave the cores to
            // others.
            options.addConfigEntry("session.intra_op.allow_spinning", threads > 1 ? "1" : "0");
            options.addConfigEntry("session.force_spinning_stop", "1");
            options.addConfigEntry("session.inter_op.allow_spinning", "0");
            // The arena keeps the largest activation of every shape seen; lines and texts come in hundreds of shapes.
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
     * Refuses a model that no ONNX file can hold: they are Protocol Buffers, whose lengths are 31 bits.
     *
     * @throws PrpfException 65
     */
    public static void requireSize(String name, long bytes) {
        if (bytes > Integer.MAX_VALUE) {
            throw new InvalidDataException("model file " + name + ": a network of " + bytes
                    + " bytes, must be smaller than 2 GiB (2^31 bytes), the limit of ONNX; take a smaller model");
        }
    }

    /** The names of the inputs. */
    public Set<String> inputs() {
        return inputs.keySet();
    }

    /**
     * The shape of the only input, -1 where it may be anything.
     *
     * @throws PrpfException 65 if it is no float32 tensor
     */
    public long[] floatShape() {
        Map.Entry<String, NodeInfo> input = inputs.entrySet().iterator().next();
        if (input.getValue().getInfo() instanceof TensorInfo tensor && tensor.type == OnnxJavaType.FLOAT) {
            return tensor.getShape();
        }
        throw new InvalidDataException(name + ": input " + input.getKey() + " must be a float32 tensor");
    }

    /**
     * The output of this name, else the only one of some number of dimensions.
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

    /** Runs what one output needs of a network of one input and copies this output. */
    public Output run(long[] shape, float[] values, String output) {
        try (OnnxTensor input =
                OnnxTensor.createTensor(OrtEnvironment.getEnvironment(), FloatBuffer.wrap(values), shape)) {
            return run(Map.of(inputs.keySet().iterator().next(), input), output);
        } catch (OrtException e) {
            throw failure(name, e);
        }
    }

    /** Runs int64 inputs of one shape like {@link #run(long[], float[], String)}. Inputs that the network does not take are ignored. */
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
                                + " processor (without -Dprpf.encoders.device), or free memory there")
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
}
