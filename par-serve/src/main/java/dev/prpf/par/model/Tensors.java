package dev.prpf.par.model;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import dev.prpf.data.io.SafeTensors;
import dev.prpf.data.run.PrpfException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;

/** Moves tensors between safetensors files and libtorch; bfloat16 and float16 go as bytes, since DJL's own types abort on them. */
public final class Tensors {
    private static final Map<String, Long> SCALAR_TYPES = Map.of("F32", 6L, "BF16", 15L, "F16", 5L);

    private Tensors() {}

    /**
     * Reads one tensor as float32 or bfloat16.
     *
     * @param owner frees it
     * @param file an open file
     * @param name the tensor; F32, BF16 or F16 in the file
     * @param precision its type here
     */
    public static PtNDArray read(PtNDManager owner, SafeTensors file, String name, Precision precision) {
        SafeTensors.Entry entry = file.entry(name);
        Long scalarType = SCALAR_TYPES.get(entry.dtype());
        if (scalarType == null) {
            throw PrpfException.badData(
                    "tensor " + name + " is " + entry.dtype() + "; weights must be F32, BF16 or F16");
        }
        PtNDArray raw = DecoderScript.get().differentiable(owner, "empty", entry.shape(), scalarType);
        fill(JniUtils.getByteBuffer(raw, true), file.map(name), name, entry);
        if (scalarType == precision.scalarType()) {
            return raw;
        }
        try (raw) {
            return DecoderScript.get().differentiable(owner, "cast", raw, precision.scalarType());
        }
    }

    private static void fill(ByteBuffer memory, ByteBuffer bytes, String name, SafeTensors.Entry entry) {
        if (memory.remaining() != bytes.remaining()) {
            throw PrpfException.badData("tensor " + name + " of shape " + Arrays.toString(entry.shape()) + " and type "
                    + entry.dtype() + " must have " + memory.remaining() + " bytes, the file gives it "
                    + bytes.remaining());
        }
        memory.put(bytes);
    }

    /** A new float32 array that holds the values, row-major; it may be trained. */
    public static PtNDArray create(PtNDManager owner, long[] shape, float[] values) {
        PtNDArray array = DecoderScript.get().differentiable(owner, "empty", shape, Precision.FP32.scalarType());
        JniUtils.getByteBuffer(array, true)
                .order(ByteOrder.nativeOrder())
                .asFloatBuffer()
                .put(values);
        return array;
    }

    /** A float32 tensor as it goes into a file; the bytes are the array's own memory, which must stay open until they are written. */
    public static SafeTensors.Tensor float32(PtNDArray array) {
        ByteBuffer bytes = JniUtils.getByteBuffer(array, true);
        return new SafeTensors.Tensor("F32", array.getShape().getShape(), bytes);
    }
}
