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
