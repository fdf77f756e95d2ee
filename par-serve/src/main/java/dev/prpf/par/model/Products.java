package dev.prpf.par.model;

/**
 * How a decoder multiplies by its matrices. Which is fastest differs by processor; {@code docs/MODELS.md} has the measurements, {@code par
 * bench} says which was taken.
 */
enum Products {
    /** libtorch's linear, in the weights' type: what training takes. */
    LINEAR(0, "linear"),
    /** A matrix times a vector where there is one row, linear where there are more. */
    VECTOR_OR_LINEAR(1, "mv, linear"),
    /** Weights packed by FBGEMM in float16 and widened in registers; activations in float32. */
    PACKED_FLOAT16(2, "fbgemm float16"),
    /** Weights packed by FBGEMM in 8 bits; activations in 14 bits, as two products of 7. */
    PACKED_INT8(3, "fbgemm int8"),
    /** Weights in 8 bits, times activations in bfloat16; widened first on graphics cards and for many rows. */
    INT8(4, "int8 x bf16");

    private final long code;
    private final String label;

    Products(long code, String label) {
        this.code = code;
        this.label = label;
    }

    String label() {
        return label;
    }

    /** The number that stands for it in the TorchScript text. */
    long code() {
        return code;
    }

    /** The type between products. */
    Precision activations(Precision weights) {
        return switch (this) {
            case LINEAR, VECTOR_OR_LINEAR -> weights;
            case PACKED_FLOAT16, PACKED_INT8 -> Precision.FP32;
            case INT8 -> Precision.BF16;
        };
    }

    /** Whether this machine's processor has the instructions. */
    boolean runsHere() {
        return switch (this) {
            case LINEAR, VECTOR_OR_LINEAR, INT8 -> true;
            case PACKED_FLOAT16 -> Processor.here().widensFloat16();
            case PACKED_INT8 -> on(Processor.here(), Precision.INT8) == PACKED_INT8;
        };
    }

    /** What is fastest here for weights of a format. */
    static Products here(Precision weights) {
        return TorchRuntime.onGraphicsCard() ? onGraphicsCard(weights) : on(Processor.here(), weights);
    }

    static Products onGraphicsCard(Precision weights) {
        return weights == Precision.INT8 ? INT8 : LINEAR;
    }

    static Products on(Processor processor, Precision weights) {
        return switch (weights) {
            case FP32 -> VECTOR_OR_LINEAR;
            case BF16 -> processor.multipliesBf16() || !processor.widensFloat16() ? VECTOR_OR_LINEAR : PACKED_FLOAT16;
            case INT8 -> processor.multipliesEightBits() || !processor.widensFloat16() ? INT8 : PACKED_INT8;
        };
    }
}
