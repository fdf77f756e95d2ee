package dev.prpf.mpp.network;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An NVIDIA card as reported by its driver, queried before ND4J loads. On a card without compiled kernels ND4J starts, then fails at the
 * first operation.
 *
 * @param name of the card's model
 * @param major with {@code minor} the compute capability, 8.6
 */
public record NvidiaGpu(String name, int major, int minor) {
    /** Compute capabilities that nd4j-cuda-11.6 has kernels for. */
    public static final String CAPABILITIES = "3.7 to 8.9";

    private static final List<String> QUERY =
            List.of("nvidia-smi", "--query-gpu=name,compute_cap", "--format=csv,noheader");
    private static final Pattern LINE = Pattern.compile("(.+), *([0-9]+)\\.([0-9]+)");
    private static final int OLDEST = 37;
    private static final int NEWEST = 89;
    private static final String WAY_OUT =
            "; run the perceiver on the processor (PRPF_PROFILE=cpu ./prpf, or cuda with the reasoner on the card;"
                    + " device: cpu), or use a card of compute capability " + CAPABILITIES
                    + " (A100, A10, T4, V100, 30- or 40-series)";

    /** @throws PrpfException 69 if no driver answers or it lists no card */
    static NvidiaGpu first() {
        return first(QUERY);
    }

    static NvidiaGpu first(List<String> query) {
        String output;
        try {
            Process process =
                    new ProcessBuilder(query).redirectErrorStream(true).start();
            output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (process.waitFor() != 0) {
                throw missing(query.get(0) + " failed: " + output);
            }
        } catch (IOException e) {
            throw missing(query.get(0) + " cannot be run: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw missing("the query was interrupted");
        }
        String line = output.lines().findFirst().orElse("");
        NvidiaGpu gpu = parse(line);
        if (gpu == null) {
            throw missing(query.get(0) + " lists no card but \"" + line + "\"");
        }
        return gpu;
    }

    /** Parses a line of nvidia-smi's CSV; null if it does not end with the compute capability. */
    public static @Nullable NvidiaGpu parse(String line) {
        Matcher matcher = LINE.matcher(line);
        return matcher.matches()
                ? new NvidiaGpu(
                        matcher.group(1), Integer.parseInt(matcher.group(2)), Integer.parseInt(matcher.group(3)))
                : null;
    }

    private static PrpfException missing(String why) {
        return new UnavailableException("this build runs on CUDA and there is no usable NVIDIA card: " + why + WAY_OUT);
    }

    /**
     * Returns whether nd4j-cuda-11.6 runs on this card. Its kernels are compiled for 3.7 to 8.6 and run on cards of the same major version.
     * It has no PTX that a driver could compile for newer cards.
     */
    public boolean hasKernels() {
        int capability = 10 * major + minor;
        return capability >= OLDEST && capability <= NEWEST;
    }

    /** @throws PrpfException 69 if this card has no kernels */
    void requireKernels() {
        if (!hasKernels()) {
            throw new UnavailableException("this build runs on CUDA, and nd4j-cuda-11.6 has no kernels for card 0, "
                    + name + " of compute capability " + major + "." + minor + WAY_OUT);
        }
    }
}
