package dev.prpf.mpp.network.graph;

import dev.prpf.mpp.network.Device;
import java.nio.FloatBuffer;
import java.util.Arrays;
import org.bytedeco.javacpp.FloatPointer;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.pointers.PagedPointer;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** The memory of float arrays that live on the host. The array must outlive what is returned. */
final class HostMemory {
    private HostMemory() {}

    /** Whether arrays of this type are floats that the processor reads where they are. */
    static boolean holds(DataType type) {
        return type == DataType.FLOAT && Device.current() == Device.CPU;
    }

    /** The elements of a row-major array, from its first. */
    static FloatPointer of(INDArray array) {
        if (array.dataType() != DataType.FLOAT || !isRowMajor(array)) {
            throw new IllegalArgumentException("an array of " + array.dataType() + " in order " + array.ordering()
                    + " with strides " + Arrays.toString(array.stride())
                    + ", the processor's passes read floats row by row");
        }
        long first = array.data().address() + array.offset() * Float.BYTES; // of a view, the address is the whole's
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

    /** The elements, row by row; of a copy on the heap where the array lies otherwise or elsewhere. */
    static FloatBuffer read(INDArray array) {
        return holds(array.dataType()) && isRowMajor(array)
                ? of(array).asBuffer()
                : FloatBuffer.wrap(array.dup('c').data().asFloat());
    }

    /** Replaces the elements, row by row. */
    static void write(INDArray array, float[] values) {
        if (holds(array.dataType())) {
            of(array).asBuffer().put(values);
        } else {
            array.assign(Nd4j.createFromArray(values).reshape('c', array.shape()));
        }
    }

    /** A copy of the elements, row by row. */
    static double[] doubles(INDArray array) {
        return array.dup('c').data().asDouble();
    }
}
