package dev.prpf.par.model;

/** The number format a decoder computes in; logits, losses and norms are float32 always. */
public enum Precision {
    FP32(6),
    BF16(15);

    private final long scalarType;

    Precision(long scalarType) {
        this.scalarType = scalarType;
    }

    /** libtorch's number for the type. */
    public long scalarType() {
        return scalarType;
    }
}
