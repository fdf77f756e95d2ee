package dev.prpf.data.encode.spec;

/** The arithmetic of a frozen encoder's weights. */
public enum EncoderPrecision {
    /** The published weights as 32-bit floats. */
    FP32,
    /** 8-bit weights with dynamically quantised activations: about twice as fast, cosine to {@link #FP32} about 0.99. */
    INT8;

    /** Returns the name used in encoder ids and files. */
    public String label() {
        return this == FP32 ? "fp32" : "int8";
    }
}
