package dev.prpf.par.engine;

/** A number format in a configuration: one of the formats, or the faster one on this machine. */
public enum PrecisionChoice {
    FP32,
    BF16,
    /** bf16 on a GPU and on a CPU with bf16 products; fp32 on any other, where libtorch emulates bf16 many times slower. */
    AUTO;

    /** Returns the format on this machine. */
    public Precision resolve() {
        return switch (this) {
            case FP32 -> Precision.FP32;
            case BF16 -> Precision.BF16;
            case AUTO -> TorchRuntime.onGpu() || Processor.here().multipliesBf16() ? Precision.BF16 : Precision.FP32;
        };
    }
}
