package dev.prpf.par.generate;

import static dev.prpf.base.config.Rule.require;

import java.util.List;

/**
 * Settings for generating responses to prompts.
 *
 * @param params of every prompt
 * @param batchSize responses generated together
 */
public record GenerationSettings(SamplingParams params, int batchSize) {
    public GenerationSettings {
        require(batchSize >= 1, "batchSize", batchSize, "at least 1");
    }

    /** Returns settings for greedy decoding. */
    public static GenerationSettings greedy(int maxNewTokens, List<Integer> endTokens, int batchSize) {
        return new GenerationSettings(SamplingParams.greedy(maxNewTokens, endTokens), batchSize);
    }

    /** Returns these settings without log-probabilities, for callers that read only the text. */
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
