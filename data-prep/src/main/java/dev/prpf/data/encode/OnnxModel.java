package dev.prpf.data.encode;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import dev.prpf.data.run.ExitCode;
import dev.prpf.data.run.PrpfException;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One frozen network in ONNX Runtime. Its threads are set, never guessed, and wait instead of spinning; {@link #run} may be called
 * by several threads at once.
 */
final class OnnxModel implements AutoCloseable {
    private final String name;
    private final OrtSession session;

    private final @Nullable OperationCount count;

    private OnnxModel(String name, OrtSession session, @Nullable OperationCount count) {
        this.name = name;
        this.session = session;
        this.count = count;
    }

    /** A float output and its shape. */
    record Output(FloatBuffer values, long[] shape) {}

    /**
     * Loads a model from the class path.
     *
     * @param threads threads within one call of {@link #run}
     */
    static OnnxModel load(ModelResource resource, int threads) {
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.setIntraOpNumThreads(threads);
            options.setInterOpNumThreads(1);
            options.addConfigEntry("session.intra_op.allow_spinning", "0");
            options.addConfigEntry("session.inter_op.allow_spinning", "0");
            // The arena keeps the largest activation of every shape seen; lines and texts come in hundreds of shapes.
            options.setCPUArenaAllocator(false);
            options.setMemoryPatternOptimization(false);
            OperationCount count = OperationCount.watch(options, resource.name());
            OrtSession session = OrtEnvironment.getEnvironment().createSession(resource.bytes(), options);
            return new OnnxModel(resource.name(), session, count);
        } catch (OrtException e) {
            throw new PrpfException(
                    ExitCode.UNAVAILABLE,
                    "model file " + resource.name() + " cannot be loaded by ONNX Runtime: " + e.getMessage(),
                    e);
        }
    }

    static OrtEnvironment environment() {
        return OrtEnvironment.getEnvironment();
    }

    String onlyInput() {
        return session.getInputNames().iterator().next();
    }

    /** Runs the network and copies its first output. */
    Output run(Map<String, OnnxTensor> inputs) {
        try (OrtSession.Result result = session.run(inputs)) {
            OnnxTensor output = (OnnxTensor) result.get(0);
            return new Output(output.getFloatBuffer(), output.getInfo().getShape());
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
