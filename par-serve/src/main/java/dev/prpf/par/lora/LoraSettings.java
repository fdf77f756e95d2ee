package dev.prpf.par.lora;

import static dev.prpf.base.config.Rule.require;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which matrices get an adapter, and of which size.
 *
 * @param rank r, columns of B and rows of A
 * @param alpha B A is multiplied by alpha / rank
 * @param targets the last words of matrices' names without {@code .weight}, as PEFT's {@code target_modules} ({@code q_proj}); null for all
 *     products of attention, delta-nets and feed-forward layers but {@code in_proj_a} and {@code in_proj_b}, which some servers leave out
 *     silently when they load an adapter
 */
public record LoraSettings(int rank, double alpha, @Nullable List<String> targets) {
    public LoraSettings {
        require(rank >= 1, "rank", rank, "at least 1");
        require(alpha > 0 && Double.isFinite(alpha), "alpha", alpha, "> 0");
        if (targets != null) {
            targets = List.copyOf(targets);
            if (targets.isEmpty()) {
                throw new IllegalArgumentException("targets is empty; name matrices, or leave it null for all");
            }
        }
    }

    /** What B A is multiplied by. */
    public double scale() {
        return alpha / rank;
    }
}
