package dev.prpf.data.onnx;

import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.files.TemporaryFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Measures the floating-point operations of a few runs from ONNX Runtime's profile; {@link NetworkMeter} extrapolates to all
 * runs. As usual, a multiply-accumulate of a convolution or matrix product counts two, all else nothing. Networks loaded while a
 * count is open run unoptimised and profiled; closing them adds their operations. One count at a time per process.
 */
public final class OperationCount implements AutoCloseable {
    private static final AtomicReference<@Nullable OperationCount> OPEN = new AtomicReference<>();

    private final TemporaryFolder profiles = TemporaryFolder.open("prpf-operations");
    private final AtomicLong flops = new AtomicLong();

    private OperationCount() {}

    /** Opens the count; close it before measuring speed. */
    public static OperationCount open() {
        OperationCount count = new OperationCount();
        if (!OPEN.compareAndSet(null, count)) {
            throw new IllegalStateException("another count of operations is open");
        }
        return count;
    }

    /** Enables profiling for a network that is being loaded; returns the open count, or null. */
    static @Nullable OperationCount watch(OrtSession.SessionOptions options, String network) throws OrtException {
        OperationCount count = OPEN.get();
        if (count != null) {
            options.setOptimizationLevel(OrtSession.SessionOptions.OptLevel.NO_OPT);
            options.addConfigEntry("session.disable_prepacking", "1"); // else the profile lacks a weight's shape
            String name = network.replaceAll("[^A-Za-z0-9]", "-");
            options.enableProfiling(count.profiles.path().resolve(name).toString());
        }
        return count;
    }

    /** Adds the nodes of a closing network's profile. */
    void add(Path profile) {
        for (JsonNode event : JsonFile.read(profile)) {
            JsonNode arguments = event.path("args");
            if (event.path("name").asText().endsWith("_kernel_time")) {
                flops.addAndGet(ofNode(
                        arguments.path("op_name").asText(),
                        arguments.path("input_type_shape"),
                        arguments.path("output_type_shape")));
            }
        }
        IoFailure.whileWriting(profile, () -> Files.delete(profile));
    }

    private static long ofNode(String operator, JsonNode inputs, JsonNode outputs) {
        return switch (operator) {
            case "Conv" -> 2 * size(outputs, 0) * size(inputs, 1) / dimension(inputs, 1, 0);
            case "ConvTranspose" -> 2 * size(inputs, 0) * size(inputs, 1) / dimension(inputs, 1, 0);
            case "Gemm" -> 2 * size(outputs, 0) * size(inputs, 0) / dimension(outputs, 0, 0);
            case "MatMul", "MatMulInteger" -> 2 * size(outputs, 0) * dimension(inputs, 0, -1);
            default -> 0;
        };
    }

    /** Returns a tensor's shape, the only field of its entry, named after the type. */
    private static JsonNode shape(JsonNode tensors, int index) {
        return tensors.path(index).elements().next();
    }

    private static long size(JsonNode tensors, int index) {
        long size = 1;
        for (JsonNode dimension : shape(tensors, index)) {
            size *= dimension.asLong();
        }
        return size;
    }

    private static long dimension(JsonNode tensors, int index, int place) {
        JsonNode shape = shape(tensors, index);
        return shape.path(place < 0 ? shape.size() + place : place).asLong();
    }

    /** Returns the operations of the networks loaded and closed while this count was open. */
    public long flops() {
        return flops.get();
    }

    @Override
    public void close() {
        OPEN.compareAndSet(this, null);
        profiles.close();
    }
}
