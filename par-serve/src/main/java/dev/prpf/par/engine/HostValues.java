package dev.prpf.par.engine;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import dev.prpf.base.files.SafeTensors;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.apache.commons.lang3.function.FailableConsumer;

/**
 * Reads arrays on the host. DJL attaches the host copy of a GPU array to the array's own manager, where it may stay as long as a model. Here every
 * copy belongs to a manager that closes with the read. On a CPU nothing is copied.
 */
public final class HostValues {
    private HostValues() {}

    /** Returns all values of a float32 array, row-major. */
    public static float[] floats(PtNDArray array) {
        return read(array, PtNDArray::toFloatArray);
    }

    /** Returns all values of a float64 array, row-major. */
    public static double[] doubles(PtNDArray array) {
        return read(array, PtNDArray::toDoubleArray);
    }

    /** Returns the value of a float32 scalar. */
    public static float number(PtNDArray array) {
        return read(array, PtNDArray::getFloat);
    }

    /** Returns the value of an int64 scalar. */
    public static long whole(PtNDArray array) {
        return read(array, values -> values.getLong());
    }

    public static boolean flag(PtNDArray array) {
        return read(array, values -> values.getBoolean());
    }

    /**
     * Passes an array's bytes on, slice by slice, so that a GPU array takes only one slice of host memory. A slice of an array on the host is the
     * array's own memory, which may be overwritten.
     *
     * @param array contiguous, of any type
     */
    static <E extends Exception> long slices(PtNDArray array, FailableConsumer<ByteBuffer, E> consumer) throws E {
        long values = array.getShape().size();
        long most = SafeTensors.sliceBytes() / Long.BYTES;
        long bytes = 0;
        for (long begin = 0; begin < values; begin += most) {
            try (PtNDManager scratch = TorchRuntime.newManager()) {
                PtNDArray slice = copied(scratch, array, begin, Math.min(most, values - begin));
                ByteBuffer memory = JniUtils.getByteBuffer(slice, true);
                bytes += memory.remaining();
                consumer.accept(memory);
            }
        }
        return bytes;
    }

    /** Returns some values on the host, from {@code begin} on; without a copy if they are there. */
    private static PtNDArray copied(PtNDManager scratch, PtNDArray array, long begin, long count) {
        return Script.decoder().differentiable(scratch, "on_host", array, begin, count);
    }

    private static <T> T read(PtNDArray array, Function<PtNDArray, T> reader) {
        if (!TorchRuntime.onGpu()) {
            return reader.apply(array);
        }
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            return reader.apply(copied(scratch, array, 0, array.getShape().size()));
        }
    }
}
