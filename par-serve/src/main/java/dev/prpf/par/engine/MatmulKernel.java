package dev.prpf.par.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The kernels for a decoder's products. The fastest one differs by processor; {@code benchmarks/results} has measurements, {@code reasoner bench} reports the
 * choice.
 */
public enum MatmulKernel {
    /** libtorch's linear, in the weights' type: the kernel of training. */
    LINEAR("linear"),
    /** A matrix times a vector for one row, linear for more. */
    VECTOR_OR_LINEAR("mv, linear"),
    /** Weights in oneDNN's layout in float32: libtorch's linear would convert the layout in each product. */
    ONEDNN_FP32("onednn fp32"),
    /** Weights in oneDNN's layout in bfloat16, activations in bfloat16. */
    ONEDNN_BF16("onednn bf16"),
    /** Weights packed by FBGEMM in float16 and widened in registers; activations in float32. */
    PACKED_FLOAT16("fbgemm float16"),
    /** Weights packed by FBGEMM in 8 bits; activations in 14 bits, as two products of 7. */
    PACKED_INT8("fbgemm int8"),
    /** Weights in 8 bits, times activations in bfloat16; widened first on GPUs and for many rows. */
    INT8("int8 x bf16"),
    /** Weights in oneDNN's layout in 8 bits; activations in 16 bits, as two products of 8. */
    ONEDNN_INT8("onednn int8");

    private final String label;

    MatmulKernel(String label) {
        this.label = label;
    }

    /** Returns the name in reports and in the TorchScript text. */
    public String label() {
        return label;
    }

    /** Returns whether libtorch multiplies by the weights unchanged, so that a tied embedding is also the head's matrix. */
    boolean plain() {
        return this == LINEAR || this == VECTOR_OR_LINEAR;
    }

    Precision activations(Precision weights) {
        return switch (this) {
            case LINEAR, VECTOR_OR_LINEAR, ONEDNN_FP32, ONEDNN_BF16 -> weights;
            case PACKED_FLOAT16, PACKED_INT8, ONEDNN_INT8 -> Precision.FP32;
            case INT8 -> Precision.BF16;
        };
    }

    /**
     * Returns the precision of libtorch's own products of many rows for a weight format. It is float32 on processors that do not multiply bfloat16,
     * where float32 is faster.
     */
    public static Precision ofProducts(Precision weights) {
        boolean bf16 = TorchRuntime.onGpu() || Processor.here().multipliesBf16();
        return weights != Precision.FP32 && bf16 ? Precision.BF16 : Precision.FP32;
    }

    /** Returns whether products of many rows are faster here with matrices in oneDNN's layout. */
    public static boolean laysOut(Precision products) {
        return !TorchRuntime.onGpu()
                && switch (products) {
                    case FP32 -> Processor.here().multipliesEightFloats();
                    case BF16 -> Processor.here().multipliesBf16();
                    case INT8 -> false;
                };
    }

    /** Returns the fastest kernel here for a weight format that still agrees with the reference. */
    static MatmulKernel here(Precision weights, boolean deltaNets) {
        return TorchRuntime.onGpu() ? onGpu(weights) : on(Processor.here(), weights, deltaNets);
    }

    static MatmulKernel onGpu(Precision weights) {
        return weights == Precision.INT8 ? INT8 : LINEAR;
    }

    /** @param deltaNets whether the decoder has delta-net layers: they amplify the rounding errors of bfloat16 */
    static MatmulKernel on(Processor processor, Precision weights, boolean deltaNets) {
        return switch (weights) {
            case FP32 -> processor.multipliesEightFloats() ? ONEDNN_FP32 : VECTOR_OR_LINEAR;
            case BF16 -> bf16(processor, deltaNets);
            case INT8 -> int8(processor);
        };
    }

    private static MatmulKernel bf16(Processor processor, boolean deltaNets) {
        if (processor.multipliesBf16() && !(deltaNets && processor.widensFloat16())) {
            return ONEDNN_BF16;
        }
        return processor.widensFloat16() ? PACKED_FLOAT16 : VECTOR_OR_LINEAR;
    }

    private static MatmulKernel int8(Processor processor) {
        if (processor.multipliesEightBits()) {
            return ONEDNN_INT8;
        }
        return processor.widensFloat16() ? PACKED_INT8 : INT8;
    }

    /**
     * The instructions of this machine's processor.
     *
     * @param flags Linux's names of the instructions; empty on other systems
     */
    record Processor(Set<String> flags) {
        private static final Path DESCRIPTION = Path.of("/proc/cpuinfo");
        private static final Set<String> MULTIPLIES_BF16 = Set.of("avx512_bf16", "amx_bf16");
        private static final Set<String> MULTIPLIES_8_FLOATS = Set.of("avx2", "fma");
        private static final Set<String> WIDENS_FLOAT16 = Set.of("avx2", "fma", "f16c");
        private static final Set<String> MULTIPLIES_8_BITS = Set.of("avx512_vnni", "amx_int8");

        static Processor here() {
            try {
                return described(Files.isReadable(DESCRIPTION) ? Files.readAllLines(DESCRIPTION) : List.of());
            } catch (IOException e) {
                throw new UncheckedIOException(DESCRIPTION.toString(), e);
            }
        }

        /** Parses the lines of Linux's description. */
        static Processor described(Collection<String> lines) {
            return new Processor(lines.stream()
                    .filter(line -> line.startsWith("flags"))
                    .flatMap(line -> Arrays.stream(line.split("\\s+")))
                    .collect(Collectors.toUnmodifiableSet()));
        }

        /** Returns whether one instruction multiplies and adds eight float32 values, as oneDNN's kernels need. */
        boolean multipliesEightFloats() {
            return flags.containsAll(MULTIPLIES_8_FLOATS);
        }

        boolean multipliesBf16() {
            return flags.stream().anyMatch(MULTIPLIES_BF16::contains);
        }

        /** Returns whether products read float16 as float32, as FBGEMM's kernels do. */
        boolean widensFloat16() {
            return flags.containsAll(WIDENS_FLOAT16);
        }

        /** Returns whether one instruction sums products of 8 bits in 32 bits; libtorch then packs 8-bit matrices for oneDNN. */
        boolean multipliesEightBits() {
            return flags.stream().anyMatch(MULTIPLIES_8_BITS::contains);
        }
    }
}
