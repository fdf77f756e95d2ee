package dev.prpf.par.engine;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.SafeTensors;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Moves tensors between safetensors files and libtorch; bfloat16 and float16 go as bytes, since DJL's own types abort on them. */
public final class Tensors {
    private static final Map<String, Long> SCALAR_TYPES = Map.of("F64", 7L, "F32", 6L, "BF16", 15L, "F16", 5L);

    private Tensors() {}

    /**
     * Reads one tensor as float32 or bfloat16.
     *
     * @param owner manager of the result
     * @param file an open file
     * @param name of the tensor; F64, F32, BF16 or F16 in the file
     * @param precision type of the result
     * @throws InvalidDataException for another type, and for a value that is NaN or infinite
     */
    public static PtNDArray read(PtNDManager owner, SafeTensors file, String name, Precision precision) {
        SafeTensors.Entry entry = file.entry(name);
        Long scalarType = SCALAR_TYPES.get(entry.dtype());
        if (scalarType == null) {
            throw new InvalidDataException(
                    file + ": tensor " + name + " is " + entry.dtype() + "; weights must be F64, F32, BF16 or F16");
        }
        try (PtNDArray staged = staged(owner, entry.shape(), scalarType)) {
            AtomicLong from = new AtomicLong();
            HostValues.slices(staged, slice -> file.read(name, from.getAndAdd(slice.remaining()), slice));
            if (!isFinite(owner, staged)) {
                throw new InvalidDataException(
                        file + ": tensor " + name
                                + " has a value that is NaN or infinite; the weights are broken, copy or train the model again");
            }
            return placed(owner, staged, precision);
        }
    }

    private static boolean isFinite(PtNDManager owner, PtNDArray values) {
        if (values.getShape().size() == 0) {
            return true;
        }
        try (PtNDArray bounds = Script.decoder().tensor(owner, "bounds", values)) {
            float[] ends = HostValues.floats(bounds);
            return Float.isFinite(ends[0]) && Float.isFinite(ends[1]);
        }
    }

    /** Returns an array on the host, to be filled by {@link HostValues#slices}. */
    private static PtNDArray staged(PtNDManager owner, long[] shape, long scalarType) {
        return Script.decoder().differentiable(owner, "staged", shape, scalarType);
    }

    /** Moves values to the decoder's device; no copy if they are there in that precision. */
    private static PtNDArray placed(PtNDManager owner, PtNDArray staged, Precision precision) {
        return Script.decoder().differentiable(owner, "placed", staged, precision.scalarType(), TorchRuntime.anchor());
    }

    /** Creates a float32 array of these values, row-major; it may be trained. */
    public static PtNDArray create(PtNDManager owner, long[] shape, float[] values) {
        return create(owner, shape, List.of(values));
    }

    /** Creates a float32 array of values in several parts. */
    public static PtNDArray create(PtNDManager owner, long[] shape, List<float[]> parts) {
        return createFrom(owner, shape, parts.stream().map(FloatBuffer::wrap).toList());
    }

    static PtNDArray createFrom(PtNDManager owner, long[] shape, List<FloatBuffer> parts) {
        try (PtNDArray staged = staged(owner, shape, Precision.FP32.scalarType())) {
            fill(staged, parts);
            return placed(owner, staged, Precision.FP32);
        }
    }

    /** Overwrites a float32 array on the host. */
    private static void fill(PtNDArray array, List<FloatBuffer> parts) {
        long values = parts.stream().mapToLong(FloatBuffer::remaining).sum();
        if (values != array.getShape().size()) {
            throw new IllegalArgumentException(values + " values do not fill the shape " + array.getShape());
        }
        Deque<FloatBuffer> left = new ArrayDeque<>();
        parts.forEach(part -> left.add(part.duplicate()));
        HostValues.slices(array, slice -> {
            FloatBuffer memory = slice.order(ByteOrder.nativeOrder()).asFloatBuffer();
            while (memory.hasRemaining()) {
                FloatBuffer part = left.element();
                int count = Math.min(memory.remaining(), part.remaining());
                memory.put(part.slice(part.position(), count));
                part.position(part.position() + count);
                if (!part.hasRemaining()) {
                    left.remove();
                }
            }
        });
    }

    /** Returns an array's values as float32, without a copy if they already are float32. */
    public static PtNDArray float32(PtNDManager owner, PtNDArray array) {
        return placed(owner, array, Precision.FP32);
    }

    /** Returns a float32 tensor to be written, slice by slice; the array must stay open and unchanged until then. */
    public static SafeTensors.Tensor float32(PtNDArray array) {
        return new SafeTensors.Tensor("F32", array.getShape().getShape(), out -> HostValues.slices(array, out::write));
    }
}
