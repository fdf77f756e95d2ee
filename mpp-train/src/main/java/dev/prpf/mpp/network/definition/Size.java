package dev.prpf.mpp.network.definition;

/** A value's size: rows a sample, and width. */
public record Size(int rows, int columns) {
    /** Elements a sample. */
    public int length() {
        return Math.multiplyExact(rows, columns);
    }
}
