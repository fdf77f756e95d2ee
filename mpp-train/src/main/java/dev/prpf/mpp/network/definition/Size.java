package dev.prpf.mpp.network.definition;

/** The size of a value: rows per sample, and width. */
public record Size(int rows, int columns) {
    /** Number of elements per sample. */
    public int length() {
        return Math.multiplyExact(rows, columns);
    }
}
