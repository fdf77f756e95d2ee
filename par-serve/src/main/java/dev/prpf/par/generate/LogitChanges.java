package dev.prpf.par.generate;

import static dev.prpf.base.config.Rule.require;

import java.util.Map;

/**
 * Changes to the logits before sampling, after the repetition penalty; names as in OpenAI's API and vLLM.
 *
 * @param presencePenalty subtracted from every token that the response contains
 * @param frequencyPenalty subtracted for each occurrence of a token in the response
 * @param bias added to tokens, by their ids
 * @param minNewTokens of a response; until then its end tokens are masked and its stop texts are ignored
 */
public record LogitChanges(
        double presencePenalty, double frequencyPenalty, Map<Integer, Double> bias, int minNewTokens) {
    /** Leaves the logits unchanged. */
    public static final LogitChanges NONE = new LogitChanges(0, 0, Map.of(), 0);

    public LogitChanges {
        require(Double.isFinite(presencePenalty), "presence_penalty", presencePenalty, "a finite number");
        require(Double.isFinite(frequencyPenalty), "frequency_penalty", frequencyPenalty, "a finite number");
        require(minNewTokens >= 0, "min_tokens", minNewTokens, "at least 0");
        bias = Map.copyOf(bias);
        for (Map.Entry<Integer, Double> entry : bias.entrySet()) {
            boolean known = entry.getKey() >= 0 && Double.isFinite(entry.getValue());
            require(known, "logit_bias", entry, "a token's id and a finite number");
        }
    }

    /** Returns whether the changes depend on the generated tokens. */
    boolean penalises() {
        return presencePenalty != 0 || frequencyPenalty != 0;
    }
}
