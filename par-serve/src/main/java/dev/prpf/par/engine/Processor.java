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
 * What this machine's processor can multiply.
 *
 * @param flags the names Linux gives its instructions; none on other systems
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

    /** By the lines of Linux's description. */
    static Processor described(Collection<String> lines) {
        return new Processor(lines.stream()
                .filter(line -> line.startsWith("flags"))
                .flatMap(line -> Arrays.stream(line.split("\\s+")))
                .collect(Collectors.toUnmodifiableSet()));
    }

    /** Whether it multiplies eight values of float32 and adds them up in one instruction, as oneDNN's kernels do. */
    boolean multipliesEightFloats() {
        return flags.containsAll(MULTIPLIES_8_FLOATS);
    }

    boolean multipliesBf16() {
        return flags.stream().anyMatch(MULTIPLIES_BF16::contains);
    }

    /** Whether it reads float16 as float32 on the way into a product, as FBGEMM's kernels do. */
    boolean widensFloat16() {
        return flags.containsAll(WIDENS_FLOAT16);
    }

    /** Whether sums of products of 8 bits are added up in 32 by one instruction; libtorch packs 8-bit matrices for oneDNN then. */
    boolean multipliesEightBits() {
        return flags.stream().anyMatch(MULTIPLIES_8_BITS::contains);
    }
}
