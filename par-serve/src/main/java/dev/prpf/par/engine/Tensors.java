package dev.prpf.par.engine;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.files.SafeTensors;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Moves tensors between safetensors files and libtorch; bfloat16 and float16 go as bytes, since DJL's own types abort on them. */
public final class Tensors {
    private static final Map<String, Long> SCALAR_TYPES = Map.of("F64", 7L, "F32", 6L, "BF16", 15L, "F16", 5L);

    /** Tensors with more bytes than this are read in parts: a buffer has fewer than 2^31. */
    private static final long PART = 1L << 30;

    /** Bytes of a slice that is written; a card's tensor is copied to the host slice by slice. */
    private static final long SLICE = 1L << 28;

    private Tensors() {}

    /**
     * Reads one tensor as float32 or bfloat16.
     *
     * @param owner frees it
     * @param file an open file
     * @param name the tensor; F64, F32, BF16 or F16 in the file
     * @param precision its type here
     */
    public static PtNDArray read(PtNDManager owner, SafeTensors file, String name, Precision precision) {
        return read(owner, file, name, precision, PART);
    }

    /** The same, in parts of as many rows as {@code partBytes} hold, at least one. */
    static PtNDArray read(PtNDManager owner, SafeTensors file, String name, Precision precision, long partBytes) {
        SafeTensors.Entry entry = file.entry(name);
        Long scalarType = SCALAR_TYPES.get(entry.dtype());
        if (scalarType == null) {
            throw new InvalidDataException(
                    file + ": tensor " + name + " is " + entry.dtype() + "; weights must be F64, F32, BF16 or F16");
        }
        try (PtNDArray staged = staged(owner, entry.shape(), scalarType)) {
            if (entry.end() - entry.begin() <= partBytes) {
                fill(staged, file, name, 0);
            } else {
                fillInParts(staged, file, name, Math.max(1, partBytes / rowBytes(entry)));
            }
            return placed(owner, staged, precision);
        }
    }

    /** An array on the host, whose memory Java may fill. */
    private static PtNDArray staged(PtNDManager owner, long[] shape, long scalarType) {
        return Script.decoder().differentiable(owner, "staged", shape, scalarType);
    }

    /** The same values on the device that the decoder runs on; no copy where they are there in that precision. */
    private static PtNDArray placed(PtNDManager owner, PtNDArray staged, Precision precision) {
        return Script.decoder().differentiable(owner, "placed", staged, precision.scalarType(), TorchRuntime.anchor());
    }

    /** From a byte of the tensor on, as many as the array has; a whole tensor has as many. */
    private static void fill(PtNDArray array, SafeTensors file, String name, long from) {
        ByteBuffer memory = HostValues.memory(array);
        SafeTensors.Entry entry = file.entry(name);
        if (Arrays.equals(array.getShape().getShape(), entry.shape())
                && memory.remaining() != entry.end() - entry.begin()) {
            throw new InvalidDataException(file + ": tensor " + name + " of shape " + array.getShape() + " and type "
                    + entry.dtype() + " must have " + memory.remaining() + " bytes, the file gives it "
                    + (entry.end() - entry.begin()));
        }
        file.read(name, from, memory);
    }

    private static long rowBytes(SafeTensors.Entry entry) {
        return (entry.end() - entry.begin()) / entry.shape()[0];
    }

    private static void fillInParts(PtNDArray array, SafeTensors file, String name, long most) {
        SafeTensors.Entry entry = file.entry(name);
        long rows = entry.shape()[0];
        for (long row = 0; row < rows; row += most) {
            long[] shape = entry.shape().clone();
            shape[0] = Math.min(most, rows - row);
            try (PtNDManager scratch = TorchRuntime.newManager()) {
                PtNDArray part = staged(scratch, shape, Objects.requireNonNull(SCALAR_TYPES.get(entry.dtype())));
                fill(part, file, name, row * rowBytes(entry));
                Script.decoder().differentiable(scratch, "fill_rows", array, part, row);
            }
        }
    }

    /** A new float32 array that holds the values, row-major; it may be trained. */
    public static PtNDArray create(PtNDManager owner, long[] shape, float[] values) {
        return create(owner, shape, List.of(values));
    }

    /** The same of values in several parts. */
    public static PtNDArray create(PtNDManager owner, long[] shape, List<float[]> parts) {
        return createFrom(owner, shape, parts.stream().map(FloatBuffer::wrap).toList());
    }

    static PtNDArray createFrom(PtNDManager owner, long[] shape, List<FloatBuffer> parts) {
        try (PtNDArray staged = staged(owner, shape, Precision.FP32.scalarType())) {
            FloatBuffer memory =
                    HostValues.memory(staged).order(ByteOrder.nativeOrder()).asFloatBuffer();
            parts.forEach(part -> memory.put(part.duplicate()));
            return placed(owner, staged, Precision.FP32);
        }
    }

    /** Returns a float32 tensor to be written, slice by slice; the array must stay open and unchanged until then. */
    public static SafeTensors.Tensor float32(PtNDArray array) {
        return float32(array, SLICE);
    }

    /** Writes slices of a number of bytes that is a multiple of a value's size. */
    static SafeTensors.Tensor float32(PtNDArray array, long sliceBytes) {
        return new SafeTensors.Tensor(
                "F32", array.getShape().getShape(), out -> HostValues.write(array, sliceBytes / Float.BYTES, out));
    }
}
