package dev.prpf.mpp.network.host;

import java.nio.FloatBuffer;
import org.bytedeco.javacpp.FloatPointer;
import org.jspecify.annotations.Nullable;

/**
 * A row-major float matrix outside the heap, or a block of one. Rows are copied in and out, since the compiler vectorizes only loops over
 * Java arrays.
 *
 * @param pointer to the first element; keeps the memory alive
 * @param memory identity of the memory, shared by a matrix, its blocks and its reshaped views
 * @param floats from the first element to the last
 * @param stride distance between the first elements of two rows
 */
record Matrix(FloatPointer pointer, Object memory, FloatBuffer floats, int rows, int columns, int stride) {
    private Matrix(FloatPointer pointer, Object memory, int rows, int columns, int stride) {
        this(
                pointer,
                memory,
                pointer.capacity(Math.max(0, (rows - 1L) * stride + columns)).asBuffer(),
                rows,
                columns,
                stride);
    }

    static Matrix zeros(int rows, int columns) {
        FloatPointer memory = new FloatPointer(Math.multiplyExact(rows, columns));
        memory.zero();
        return new Matrix(memory, new Object(), rows, columns, columns);
    }

    /** Wraps one row of values in foreign memory, without a copy. */
    static Matrix at(FloatPointer memory, int length) {
        return new Matrix(memory.getPointer(0), new Object(), 1, length, length);
    }

    /** Makes an independent matrix within another's memory, starting at an element. */
    static Matrix within(Matrix flat, int from, int rows, int columns) {
        return new Matrix(flat.pointer.getPointer(from), new Object(), rows, columns, columns);
    }

    /** Returns a view with another row length; not for a block of columns. */
    Matrix reshaped(int columns) {
        return new Matrix(pointer.getPointer(0), memory, rows * this.columns / columns, columns, columns);
    }

    Matrix columns(int from, int to) {
        return new Matrix(pointer.getPointer(from), memory, rows, to - from, stride);
    }

    Matrix rows(int from, int to) {
        return new Matrix(pointer.getPointer((long) from * stride), memory, to - from, columns, stride);
    }

    /** Returns the live memory of a matrix that is not a block of columns. */
    FloatBuffer buffer() {
        return floats.duplicate();
    }

    /** Copies a row's columns [from, from + into.length) out. */
    void read(int row, int from, float[] into) {
        floats.get(row * stride + from, into, 0, into.length);
    }

    void read(int row, float[] into) {
        read(row, 0, into);
    }

    /** Copies values into a row's columns [from, from + values.length). */
    void write(int row, int from, float[] values) {
        floats.put(row * stride + from, values, 0, values.length);
    }

    void write(int row, float[] values) {
        write(row, 0, values);
    }

    /** Overwrites a row, or adds to it and leaves the sum in {@code values}. */
    void write(int row, float[] values, boolean add, float[] scratch) {
        if (add) {
            read(row, scratch);
            RowMath.add(scratch, values);
        }
        write(row, values);
    }

    /** Multiplies values by a mask's row elementwise; does nothing without a mask. */
    static void multiplyRow(@Nullable Matrix mask, int row, float[] values, float[] scratch) {
        if (mask != null) {
            mask.read(row, scratch);
            RowMath.multiply(values, scratch, values);
        }
    }

    @Override
    public String toString() {
        return rows + " x " + columns;
    }
}
