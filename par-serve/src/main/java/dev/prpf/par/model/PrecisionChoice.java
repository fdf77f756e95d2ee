package dev.prpf.par.model;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** A number format as a configuration names it: one of them, or whichever is faster where the run takes place. */
public enum PrecisionChoice {
    FP32,
    BF16,
    /**
     * bf16 on a graphics card and on a processor that multiplies bf16 itself; fp32 on any other, where libtorch emulates bf16 many times
     * slower.
     */
    AUTO;

    private static final Path PROCESSOR = Path.of("/proc/cpuinfo");
    private static final Set<String> MULTIPLIES_BF16 = Set.of("avx512_bf16", "amx_bf16");

    /** The format on this machine. */
    public Precision resolve() {
        return switch (this) {
            case FP32 -> Precision.FP32;
            case BF16 -> Precision.BF16;
            case AUTO -> TorchRuntime.onGraphicsCard() || multipliesBf16(processor()) ? Precision.BF16 : Precision.FP32;
        };
    }

    /** Lines of Linux's description of the processor; none elsewhere. */
    private static List<String> processor() {
        try {
            return Files.isReadable(PROCESSOR) ? Files.readAllLines(PROCESSOR) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(PROCESSOR.toString(), e);
        }
    }

    /** Whether the {@code flags} of such a description name an instruction that multiplies bf16. */
    static boolean multipliesBf16(List<String> description) {
        return description.stream()
                .filter(line -> line.startsWith("flags"))
                .flatMap(line -> Arrays.stream(line.split("\\s+")))
                .anyMatch(MULTIPLIES_BF16::contains);
    }
}
