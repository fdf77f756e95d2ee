package dev.prpf.par.bench;

import dev.prpf.base.error.UsageException;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.Precision;
import java.util.List;

/**
 * What to measure.
 *
 * @param precisions number formats, one decoder each
 * @param batches prompts at once
 * @param prompt tokens of a prompt
 * @param newTokens tokens written after it
 * @param rounds measurements of each metric
 */
public record BenchSettings(List<Precision> precisions, List<Integer> batches, int prompt, int newTokens, int rounds) {
    public BenchSettings {
        precisions = List.copyOf(precisions);
        batches = List.copyOf(batches);
        batches.forEach(batch -> positive("--batch", batch));
        positive("--prompt", prompt);
        positive("--new", newTokens);
        positive("--rounds", rounds);
    }

    private static void positive(String option, int value) {
        if (value < 1) {
            throw new UsageException(option + " = " + value + ", must be at least 1");
        }
    }

    /** Before anything is loaded. */
    void requireRoom(DecoderConfig config) {
        if ((long) prompt + newTokens > config.maxPositions()) {
            throw new UsageException("--prompt = " + prompt + " and --new = " + newTokens + ": the model has "
                    + config.maxPositions() + " positions, their sum must be at most that");
        }
    }
}
