package dev.prpf.mpp.network.host;

import java.nio.FloatBuffer;
import org.bytedeco.javacpp.FloatPointer;
import org.jspecify.annotations.Nullable;

/**
 * A row-major float matrix outside the heap, or a block of one. Rows are copied in and out: the compiler makes vector instructions of
 * loops over Java's own arrays only.
 */
final class Matrix {
    private final FloatPointer pointer; // of the first element; keeps the memory alive
    private final Object memory;
    private final FloatBuffer floats;
    private final int rows;
    private final int columns;
    private final int stride;

    private Matrix(FloatPointer pointer, @Nullable Matrix whole, int rows, int columns, int stride) {
        this.pointer = pointer;
        memory = whole == null ? this : whole.memory;
        this.rows = rows;
        this.columns = columns;
        this.stride = stride;
        floats =
                pointer.capacity(rows == 0 ? 0 : (rows - 1L) * stride + columns).asBuffer();
    }

    /** A new matrix of zeros. */
    static Matrix zeros(int rows, int columns) {
        FloatPointer memory = new FloatPointer(Math.multiplyExact(rows, columns));
        memory.zero();
        return new Matrix(memory, null, rows, columns, columns);
    }

    /** A matrix of its own in a piece of another's memory, from an element on. */
    static Matrix within(Matrix flat, int from, int rows, int columns) {
        return new Matrix(flat.pointer.getPointer(from), null, rows, columns, columns);
    }

    /** The same elements, not those of a block of columns, in rows of another length. */
    Matrix reshaped(int columns) {
        return new Matrix(pointer.getPointer(0), this, rows * this.columns / columns, columns, columns);
    }

    /** The block of some columns. */
    Matrix columns(int from, int to) {
        return new Matrix(pointer.getPointer(from), this, rows, to - from, stride);
    }

    /** The block of some rows. */
    Matrix rows(int from, int to) {
        long first = (long) from * stride;
        return new Matrix(pointer.getPointer(first), this, to - from, columns, stride);
    }

    /** What a matrix, its blocks and its reshaped views have in common, and no other matrix has. */
    Object memory() {
        return memory;
    }

    FloatPointer pointer() {
        return pointer;
    }

    /** The live memory of a matrix that is no block of columns. */
    FloatBuffer buffer() {
        return floats.duplicate();
    }

    int rows() {
        return rows;
    }

    int columns() {
        return columns;
    }

    /** Elements from a row's first to the next row's first. */
    int stride() {
        return stride;
    }

    /** Copies a row's columns [from, from + into.length) out. */
    void read(int row, int from, float[] into) {
        floats.get(row * stride + from, into, 0, into.length);
    }

    /** Copies a row's first columns out. */
    void read(int row, float[] into) {
        read(row, 0, into);
    }

    /** Copies values into a row's columns [from, from + values.length). */
    void write(int row, int from, float[] values) {
        floats.put(row * stride + from, values, 0, values.length);
    }

    /** Copies values into a row's first columns. */
    void write(int row, float[] values) {
        write(row, 0, values);
    }

    /** Overwrites a row, or adds to it; the sum is left in the values then. */
    void write(int row, float[] values, boolean add, float[] scratch) {
        if (add) {
            read(row, scratch);
            RowMath.add(scratch, values);
        }
        write(row, values);
    }

    @Override
    public String toString() {
        return rows + " x " + columns;
    }
}
