package dev.prpf.data.onnx;

import ai.onnxruntime.NodeInfo;
import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One frozen network in ONNX Runtime. Its threads are set, never guessed, and spin within a run only; {@link #run} may be called by
 * several threads at once.
 */
public final class OnnxModel implements AutoCloseable {
    private final String name;
    private final OrtSession session;

    private final @Nullable OperationCount count;

    private OnnxModel(String name, OrtSession session, @Nullable OperationCount count) {
        this.name = name;
        this.session = session;
        this.count = count;
    }

    /** A float output and its shape. */
    public record Output(FloatBuffer values, long[] shape) {}

    /**
     * Loads a model from the class path.
     *
     * @param threads threads within one call of {@link #run}
     */
    public static OnnxModel load(ModelResource resource, int threads) {
        return load(resource, UnaryOperator.identity(), threads);
    }

    /**
     * Loads a model from the class path, changed.
     *
     * @param change of its bytes
     */
    public static OnnxModel load(ModelResource resource, UnaryOperator<byte[]> change, int threads) {
        byte[] model = change.apply(resource.bytes());
        return load(resource.name(), threads, UnavailableException::new, options -> environment()
                .createSession(model, options));
    }

    /**
     * Loads a model file.
     *
     * @throws PrpfException 65 if it is no ONNX model
     */
    public static OnnxModel load(Path file, int threads) {
        return load(file.toString(), threads, InvalidDataException::new, options -> environment()
                .createSession(file.toString(), options));
    }

    /**
     * Loads a model from memory.
     *
     * @param model its bytes, outside the heap
     */
    public static OnnxModel load(String name, ByteBuffer model, int threads) {
        return load(name, threads, InvalidDataException::new, options -> environment()
                .createSession(model, options));
    }

    private interface Opening {
        OrtSession with(OrtSession.SessionOptions options) throws OrtException;
    }

    private static OnnxModel load(
            String name, int threads, BiFunction<String, OrtException, PrpfException> failure, Opening opening) {
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
            OperationCount count = OperationCount.watch(options, name);
            return new OnnxModel(name, opening.with(options), count);
        } catch (OrtException e) {
            throw failure.apply("model file " + name + " cannot be loaded by ONNX Runtime: " + e.getMessage(), e);
        }
    }

    public static OrtEnvironment environment() {
        return OrtEnvironment.getEnvironment();
    }

    public String onlyInput() {
        return session.getInputNames().iterator().next();
    }

    /**
     * The shape of a float32 input, -1 where it may be anything.
     *
     * @throws PrpfException 65 if it is no float32 tensor
     */
    public long[] floatShape(String input) {
        try {
            NodeInfo info = session.getInputInfo().get(input);
            if (info != null && info.getInfo() instanceof TensorInfo tensor && tensor.type == OnnxJavaType.FLOAT) {
                return tensor.getShape();
            }
            throw new InvalidDataException(name + ": input " + input + " must be a float32 tensor");
        } catch (OrtException e) {
            throw new IllegalStateException("model " + name + " does not tell its inputs: " + e.getMessage(), e);
        }
    }

    /**
     * The output of this name, else the only one of two dimensions.
     *
     * @throws PrpfException 65, naming the outputs, if neither exists
     */
    public String outputOfRankTwo(String preferred) {
        if (session.getOutputNames().contains(preferred)) {
            return preferred;
        }
        try {
            List<String> matrices = session.getOutputInfo().entrySet().stream()
                    .filter(e -> e.getValue().getInfo() instanceof TensorInfo tensor && tensor.getShape().length == 2)
                    .map(Map.Entry::getKey)
                    .toList();
            if (matrices.size() != 1) {
                throw new InvalidDataException(name + ": has outputs " + session.getOutputNames() + ", needs \""
                        + preferred + "\" or exactly one of two dimensions");
            }
            return matrices.get(0);
        } catch (OrtException e) {
            throw new IllegalStateException("model " + name + " does not tell its outputs: " + e.getMessage(), e);
        }
    }

    /** Runs the network and copies its first output. */
    public Output run(Map<String, OnnxTensor> inputs) {
        return run(inputs, session.getOutputNames().iterator().next());
    }

    /** Runs what one output needs of the network and copies this output. */
    public Output run(Map<String, OnnxTensor> inputs, String output) {
        try (OrtSession.Result result = session.run(inputs, Set.of(output))) {
            OnnxTensor tensor = (OnnxTensor) result.get(0);
            return new Output(tensor.getFloatBuffer(), tensor.getInfo().getShape());
        } catch (OrtException e) {
            throw new IllegalStateException("model " + name + " failed: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        try {
            if (count != null) {
                count.add(Path.of(session.endProfiling()));
            }
            session.close();
        } catch (OrtException e) {
            throw new IllegalStateException("model " + name + " cannot be closed: " + e.getMessage(), e);
        }
    }
}
