package dev.prpf.mpp.network;

import java.nio.FloatBuffer;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Host floats in and out of arrays: directly where the backend keeps them in host memory, by copies elsewhere. */
final class HostArrays {
    private HostArrays() {}

    /** Whether arrays of this backend can be seen as buffers. */
    static boolean direct(INDArray array) {
        return array.dataType() == DataType.FLOAT && Nd4j.getEnvironment().isCPU();
    }

    /** The memory of a contiguous float array. */
    static FloatBuffer buffer(INDArray array) {
        FloatBuffer all = array.data().asNioFloat();
        return all.slice(Math.toIntExact(array.offset()), Math.toIntExact(array.length()));
    }

    /** Writes row-major values into a contiguous array. */
    static void write(INDArray array, float[] values) {
        if (direct(array)) {
            buffer(array).put(values);
        } else {
            array.assign(Nd4j.create(values, array.shape(), 'c').castTo(array.dataType()));
        }
    }
}
