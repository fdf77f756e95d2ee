package dev.prpf.par.engine;

import dev.prpf.par.device.LibtorchBuild;
import dev.prpf.par.engine.MatmulKernel.Processor;
import java.util.Locale;

/** The number format of a decoder's matrices; logits, losses, norms and the residual stream are always float32. */
public enum Precision {
    FP32(6, Float.BYTES),
    /** 16 bits a weight: bfloat16, or float16 on CPUs that widen only float16 ({@link MatmulKernel}). */
    BF16(15, Short.BYTES),
    /** 8 bits a weight, symmetric, one scale for each output; to run a model, not to train it. */
    INT8(1, Byte.BYTES);

    private final long scalarType;
    private final int weightBytes;

    Precision(long scalarType, int weightBytes) {
        this.scalarType = scalarType;
        this.weightBytes = weightBytes;
    }

    /** Returns float32, or bfloat16 if this build's libtorch runs on a GPU. Loads no libtorch. */
    public static Precision usual() {
        return usual(LibtorchBuild.find(Precision.class.getClassLoader(), System.getenv()));
    }

    static Precision usual(LibtorchBuild build) {
        return build.cuda() > 0 ? BF16 : FP32;
    }

    /** Returns libtorch's number for the type. */
    public long scalarType() {
        return scalarType;
    }

    public int weightBytes() {
        return weightBytes;
    }

    /** Returns the name in options and reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

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
                case AUTO ->
                    TorchRuntime.onGpu() || Processor.here().multipliesBf16() ? Precision.BF16 : Precision.FP32;
            };
        }
    }
}
