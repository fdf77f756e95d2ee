package dev.prpf.par.generate;

import static dev.prpf.base.config.Rule.require;

import java.util.List;

/**
 * How to continue prompts.
 *
 * @param params of every prompt
 * @param batchSize responses written together
 */
public record GenerationSettings(SamplingParams params, int batchSize) {
    public GenerationSettings {
        require(batchSize >= 1, "batchSize", batchSize, "at least 1");
    }

    /** The likeliest token at every step. */
    public static GenerationSettings greedy(int maxNewTokens, List<Integer> endTokens, int batchSize) {
        return new GenerationSettings(SamplingParams.greedy(maxNewTokens, endTokens), batchSize);
    }

    /** The same for whoever reads the text alone. */
    public GenerationSettings withoutLogprobs() {
        SamplingParams silent = new SamplingParams(
                params.maxNewTokens(),
                params.sampling(),
                params.repetitionPenalty(),
                params.ending(),
                false,
                0,
                false,
                params.changes());
        return new GenerationSettings(silent, batchSize);
    }
}
