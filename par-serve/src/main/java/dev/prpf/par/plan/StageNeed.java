package dev.prpf.par.plan;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.prpf.par.bench.MachineSpeed;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The most memory and work that a command needs.
 *
 * @param bytes of memory; null if unknown
 * @param about describes the memory and its parts, or why the memory is unknown
 * @param work matrix products and reads; null if unknown
 * @param lower advice for needing less; empty if nothing can be lowered
 * @param elsewhere the command line that trains with another trainer; null for a command that trains no language model
 */
public record StageNeed(
        @Nullable Long bytes, String about, @JsonIgnore @Nullable Work work, String lower, @Nullable String elsewhere) {
    /** The share of the fastest matrix product that long work reaches; assumed, as in docs/SCALE.md. */
    private static final double SHARE_OF_PRODUCTS = 0.35;

    private static final double SHARE_OF_BANDWIDTH = 0.5;
    private static final long ENCODERS = 500_000_000;
    private static final String WITHOUT_MODEL =
            "it loads no language model: at most the Java heap (PRPF_HEAP) and 0.5 GB of encoders";

    /**
     * Operations of matrix products, and bytes of weights that decoding reads.
     *
     * @param flops the most floating-point operations
     * @param read the most bytes
     * @param typical whether both are estimates for examples of the mean length, not the most
     */
    public record Work(double flops, double read, boolean typical) {
        public double seconds(MachineSpeed speed) {
            return flops / (speed.gemmPeak() * 1e9 * SHARE_OF_PRODUCTS)
                    + read / (speed.readBandwidth() * 1e9 * SHARE_OF_BANDWIDTH);
        }

        private Work plus(Work other) {
            return new Work(flops + other.flops, read + other.read, typical && other.typical);
        }
    }

    /** Returns the need of a command that loads no language model. */
    public static StageNeed withoutModel() {
        long bytes = Runtime.getRuntime().maxMemory() + ENCODERS;
        return new StageNeed(bytes, WITHOUT_MODEL, null, "lower PRPF_HEAP", null);
    }

    /** Returns whether the command loads a language model, or may load one. */
    public boolean loadsModel() {
        return !about.equals(WITHOUT_MODEL);
    }

    /** Returns the need of a command that reads a file which does not exist yet. */
    public static StageNeed unknown(Path missing) {
        return new StageNeed(null, "its memory is unknown: " + missing + " does not exist yet", null, "", null);
    }

    /** Returns the need of a command with prompts that no training of the plan bounds. */
    static StageNeed unknownLength() {
        String about = "its memory is unknown: the plan has no training whose max-length bounds the prompts";
        return new StageNeed(null, about, null, "", null);
    }

    /** Returns the need of two models that are loaded together. */
    public StageNeed plus(StageNeed other) {
        if (bytes == null || other.bytes == null) {
            return bytes == null ? this : other;
        }
        Work both = work == null || other.work == null ? null : work.plus(other.work);
        return new StageNeed(bytes + other.bytes, about + "; " + other.about, both, lower, null);
    }
}
