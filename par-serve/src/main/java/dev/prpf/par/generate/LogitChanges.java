package dev.prpf.par.generate;

import static dev.prpf.base.config.Rule.require;

import java.util.Map;

/**
 * What is added to the logits before a token is chosen, after the repetition penalty; named after OpenAI's and vLLM's.
 *
 * @param presencePenalty is taken from every token that the response holds already
 * @param frequencyPenalty is taken from it for each time it stands there
 * @param bias is added to tokens, by their ids
 * @param minNewTokens of a response: before them its end tokens are out of reach and its stop texts end nothing
 */
public record LogitChanges(
        double presencePenalty, double frequencyPenalty, Map<Integer, Double> bias, int minNewTokens) {
    /** Nothing is changed. */
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

    /** Whether what was written counts. */
    boolean penalises() {
        return presencePenalty != 0 || frequencyPenalty != 0;
    }
}
