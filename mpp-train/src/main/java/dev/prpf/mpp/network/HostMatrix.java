package dev.prpf.mpp.network;

import java.nio.FloatBuffer;
import org.bytedeco.javacpp.FloatPointer;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A row-major float matrix in host memory, seen as the library's array, as BLAS's pointer and as a buffer whose rows are copied in
 * and out: the compiler makes vector instructions of loops over Java's own arrays only.
 */
final class HostMatrix {
    private final INDArray array;
    private final FloatPointer pointer;
    private final FloatBuffer floats;
    private final int rows;
    private final int columns;

    private HostMatrix(INDArray array, int columns) {
        if (array.dataType() != DataType.FLOAT || !isRowMajor(array)) {
            throw new IllegalArgumentException(
                    "array " + array.shapeInfoToString() + ", must be floats in row-major order");
        }
        this.array = array;
        this.columns = columns;
        rows = Math.toIntExact(array.length() / columns);
        pointer = new FloatPointer(array.data().addressPointer()).capacity(array.length());
        floats = pointer.asBuffer();
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

    /** A new matrix of zeros. */
    static HostMatrix zeros(int rows, int columns) {
        return new HostMatrix(
                Nd4j.create(DataType.FLOAT, new long[] {rows, columns}, 'c').detach(), columns);
    }

    /** An array's own memory; its last axis is the columns, a vector is one row. */
    static HostMatrix of(INDArray array) {
        return new HostMatrix(array, Math.toIntExact(array.size(array.rank() - 1)));
    }

    INDArray array() {
        return array;
    }

    FloatPointer pointer() {
        return pointer;
    }

    int rows() {
        return rows;
    }

    int columns() {
        return columns;
    }

    /** Copies a row's columns [from, from + into.length) out. */
    void read(int row, int from, float[] into) {
        floats.get(row * columns + from, into, 0, into.length);
    }

    /** Copies a row out. */
    void read(int row, float[] into) {
        read(row, 0, into);
    }

    /** Copies values into a row's columns [from, from + values.length). */
    void write(int row, int from, float[] values) {
        floats.put(row * columns + from, values, 0, values.length);
    }

    /** Copies values into a row. */
    void write(int row, float[] values) {
        write(row, 0, values);
    }

    /** Overwrites a row, or adds to it; the sum is left in the values then. */
    void write(int row, float[] values, boolean add, float[] scratch) {
        if (add) {
            read(row, scratch);
            for (int i = 0; i < values.length; i++) {
                values[i] += scratch[i];
            }
        }
        write(row, values);
    }
}
