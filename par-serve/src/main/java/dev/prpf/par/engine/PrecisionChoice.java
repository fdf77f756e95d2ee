package dev.prpf.par.engine;

/** A number format as a configuration names it: one of them, or whichever is faster where the run takes place. */
public enum PrecisionChoice {
    FP32,
    BF16,
    /**
     * bf16 on a GPU and on a processor that multiplies bf16 itself; fp32 on any other, where libtorch emulates bf16 many times
     * slower.
     */
    AUTO;

    /** The format on this machine. */
    public Precision resolve() {
        return switch (this) {
            case FP32 -> Precision.FP32;
            case BF16 -> Precision.BF16;
            case AUTO -> TorchRuntime.onGpu() || Processor.here().multipliesBf16() ? Precision.BF16 : Precision.FP32;
        };
    }
}
