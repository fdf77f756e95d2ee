package dev.prpf.par.openai;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

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

    Call call(String model) {
        String body = JsonRecords.write(new Body(
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
        return new Call(this, body);
    }

    /**
     * One continuation of a prompt.
     *
     * @param ids its tokens including the end token; at least one
     * @param logprobs of each, at most 0
     * @param finish {@code stop} or {@code length}
     */
    public record Continuation(long[] ids, float[] logprobs, String finish) {}

    record Call(CompletionRequest request, String body) implements ChatClient.Call<List<Continuation>> {
        @Override
        public String path() {
            return "/completions";
        }

        @Override
        public String name() {
            return "sample " + request.id();
        }

        @Override
        public List<Continuation> read(byte[] said) throws IOException {
            JsonNode choices = ChatJson.choices(said);
            if (choices.size() != request.n()) {
                throw new IOException("the answer has " + choices.size() + " choices, must be " + request.n());
            }
            List<Continuation> read = new ArrayList<>();
            for (JsonNode choice : choices) {
                requireOurs(choice.path("prompt_token_ids"));
                read.add(continuation(choice));
            }
            return read;
        }

        private Continuation continuation(JsonNode choice) throws IOException {
            String finish = choice.path("finish_reason").asText("unknown");
            if (!Set.of("stop", "length").contains(finish)) {
                throw new IOException("the server ended a response with finish_reason \"" + finish + "\"");
            }
            JsonNode ids = choice.path("token_ids");
            JsonNode logprobs = choice.path("logprobs").path("token_logprobs");
            if (!areNumbers(ids) || !areNumbers(logprobs) || ids.size() != logprobs.size() || ids.isEmpty()) {
                throw new InvalidConfigurationException(name() + ": the answer has "
                        + (areNumbers(ids) ? ids.size() + " token_ids" : "no token_ids that are all numbers") + " and "
                        + (areNumbers(logprobs)
                                ? logprobs.size() + " token_logprobs"
                                : "no token_logprobs that are all numbers")
                        + ", rollouts need both for each token; vLLM from 0.10.2 on and prpf serve return them");
            }
            float[] values = new float[logprobs.size()];
            for (int i = 0; i < values.length; i++) {
                values[i] = Math.min(0f, logprobs.get(i).floatValue());
            }
            return new Continuation(longs(ids), values, finish);
        }

        /** Checks the prompt that a server returns, if it does. */
        private void requireOurs(JsonNode prompt) {
            if (prompt.isArray() && !Arrays.equals(longs(prompt), request.prompt())) {
                throw new InvalidConfigurationException(name() + ": the server read another prompt than the "
                        + request.prompt().length + " tokens it was sent; is it an OpenAI-compatible one?");
            }
        }

        private static boolean areNumbers(JsonNode values) {
            return values.isArray() && values.valueStream().allMatch(JsonNode::isNumber);
        }

        private static long[] longs(JsonNode ids) {
            return ids.valueStream().mapToLong(JsonNode::longValue).toArray();
        }

        @Override
        public List<Continuation> refused(ChatOutcome.NoAnswer refusal) {
            if (!(refusal instanceof ChatOutcome.TooLong)) {
                throw new InvalidConfigurationException(
                        refusal.why() + "; check the configuration outside of its server: section");
            }
            throw new InvalidConfigurationException(name() + ": prompt (" + request.prompt().length
                    + " tokens) and sampling.max-new-tokens = "
                    + request.sampling().maxTokens() + " do not fit the server's context: " + refusal.why()
                    + "; start it with a longer one (vLLM: --max-model-len), or set prompts.max-length lower");
        }
    }
}
