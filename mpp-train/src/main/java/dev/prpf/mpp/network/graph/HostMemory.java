package dev.prpf.mpp.network.graph;

import dev.prpf.mpp.network.Device;
import java.nio.FloatBuffer;
import java.util.Arrays;
import org.bytedeco.javacpp.FloatPointer;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.pointers.PagedPointer;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Views the memory of float arrays on the host. An array must outlive its view. */
final class HostMemory {
    private HostMemory() {}

    /** Returns whether the processor can read arrays of this type in place, as floats. */
    static boolean holds(DataType type) {
        return type == DataType.FLOAT && Device.current() == Device.CPU;
    }

    /** Returns a view of the elements of a row-major array. */
    static FloatPointer of(INDArray array) {
        if (array.dataType() != DataType.FLOAT || !isRowMajor(array)) {
            throw new IllegalArgumentException("an array of " + array.dataType() + " in order " + array.ordering()
                    + " with strides " + Arrays.toString(array.stride())
                    + ", must be row-major floats");
        }
        long first = array.data().address() + array.offset() * Float.BYTES; // a view's address is its whole array's
        FloatPointer pointer = new PagedPointer(first).asFloatPointer();
        return pointer.capacity(array.length());
    }

    private static boolean isRowMajor(INDArray array) {
        long stride = 1;
        for (int axis = array.rank() - 1; axis >= 0; axis--) {
            if (array.size(axis) != 1 && array.stride(axis) != stride) {
                return false;
            }
            stride *= array.size(axis);
        }
        return true;
    }

    /** Returns the elements in row-major order; copies them to the heap if the array has another order or device. */
    static FloatBuffer read(INDArray array) {
        return holds(array.dataType()) && isRowMajor(array)
                ? of(array).asBuffer()
                : FloatBuffer.wrap(array.dup('c').data().asFloat());
    }

    /** Sets the elements in row-major order. */
    static void write(INDArray array, float[] values) {
        if (holds(array.dataType())) {
            of(array).asBuffer().put(values);
        } else {
            array.assign(Nd4j.createFromArray(values).reshape('c', array.shape()));
        }
    }

    /** Copies the elements in row-major order. */
    static double[] doubles(INDArray array) {
        return array.dup('c').data().asDouble();
    }
}
