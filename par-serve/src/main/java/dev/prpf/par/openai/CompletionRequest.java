package dev.prpf.par.openai;

import dev.prpf.base.json.JsonRecords;

/**
 * A prompt to be continued several times, as tokens, with the log-probability of each: {@code POST /v1/completions}.
 *
 * @param id of the sample that it is about
 * @param prompt token ids, at least one
 * @param n continuations
 * @param seed of the first one's draws; a server gives each next one the next number
 * @param sampling how tokens are drawn
 */
public record CompletionRequest(String id, long[] prompt, int n, long seed, Sampling sampling) {
    /**
     * How tokens are drawn. Log-probabilities are the model's own all the same (temperature 1, nothing cut off), vLLM's {@code raw_logprobs}.
     *
     * @param topK 0 for all
     */
    public record Sampling(double temperature, int topK, double topP, int maxTokens) {}

    /** All of it is sent, so that no server's {@code generation_config.json} decides anything. */
    private record Body(
            String model,
            long[] prompt,
            int n,
            long seed,
            double temperature,
            int topK,
            double topP,
            int maxTokens,
            double minP,
            double repetitionPenalty,
            int logprobs,
            boolean returnTokenIds,
            boolean stream) {}

    /** As it is sent. */
    String body(String model) {
        return JsonRecords.write(new Body(
                model,
                prompt,
                n,
                seed,
                sampling.temperature(),
                sampling.topK(),
                sampling.topP(),
                sampling.maxTokens(),
                0,
                1,
                0,
                true,
                false));
    }

    /**
     * One continuation.
     *
     * @param ids its tokens, the end token among them; at least one
     * @param logprobs of each, at most 0
     * @param finish {@code stop} or {@code length}
     */
    public record Continuation(long[] ids, float[] logprobs, String finish) {}
}
