package dev.prpf.par.openai;

import dev.prpf.base.json.JsonRecords;

/**
 * A request for several continuations of a token prompt with log-probabilities: {@code POST /v1/completions}.
 *
 * @param id of its sample
 * @param prompt token ids, at least one
 * @param n number of continuations
 * @param seed of the first continuation; the server increments it for each next one
 * @param sampling parameters of sampling
 */
public record CompletionRequest(String id, long[] prompt, int n, long seed, Sampling sampling) {
    /**
     * The parameters of sampling. Log-probabilities do not depend on them (temperature 1, no truncation), like vLLM's {@code raw_logprobs}.
     *
     * @param topK 0 for all
     */
    public record Sampling(double temperature, int topK, double topP, int maxTokens) {}

    /** The body, with all parameters, so that a server's {@code generation_config.json} has no influence. */
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
     * One continuation of a prompt.
     *
     * @param ids its tokens including the end token; at least one
     * @param logprobs of each, at most 0
     * @param finish {@code stop} or {@code length}
     */
    public record Continuation(long[] ids, float[] logprobs, String finish) {}
}
