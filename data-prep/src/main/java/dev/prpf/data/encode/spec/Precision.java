package dev.prpf.data.encode.spec;

/** The arithmetic of a frozen encoder's weights. */
public enum Precision {
    /** 32-bit floats, as published. */
    FP32,
    /** 8-bit weights, activations quantised on the fly: about twice as fast, cosine to {@link #FP32} about 0.99. */
    INT8;

    /** The name used in encoder ids and files. */
    public String label() {
        return this == FP32 ? "fp32" : "int8";
    }
}
