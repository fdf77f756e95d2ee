package dev.prpf.par.generate;

import static dev.prpf.base.config.Rule.require;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The sampling parameters of one prompt; names as in vLLM.
 *
 * @param maxNewTokens most new tokens; fewer at the end of the model's positions
 * @param sampling the distribution, or null for greedy decoding
 * @param repetitionPenalty of tokens in prompt or response: their logits are divided by it, or multiplied if negative (CTRL, arXiv:1909.05858, as
 *     in transformers); 1 for none
 * @param logprobs whether to return greedy tokens' log-probabilities. NaN if not, which saves a softmax over the vocabulary per token and the
 *     logits of forced tokens. Drawn tokens always have them
 * @param topLogprobs number of likeliest tokens to return at each position; 0 for none
 * @param promptLogprobs whether to score the prompt's tokens; the prompt is then prefilled whole, without the prefix cache
 */
public record SamplingParams(
        int maxNewTokens,
        @Nullable Sampling sampling,
        double repetitionPenalty,
        StoppingCriteria ending,
        boolean logprobs,
        int topLogprobs,
        boolean promptLogprobs,
        LogitChanges changes) {
    /** Lower penalties would raise logits beyond the range of float32. */
    public static final double LEAST_PENALTY = 0.01;

    public SamplingParams {
        require(maxNewTokens >= 1, "maxNewTokens", maxNewTokens, "at least 1");
        requirePenalty(repetitionPenalty);
        require(topLogprobs >= 0, "top_logprobs", topLogprobs, "at least 0");
        require(topLogprobs == 0 || logprobs, "top_logprobs", topLogprobs, "0 where log-probabilities are not wanted");
    }

    /** @throws IllegalArgumentException for a repetition penalty that is too low or infinite */
    public static void requirePenalty(double penalty) {
        boolean right = penalty >= LEAST_PENALTY && Double.isFinite(penalty);
        require(right, "repetition_penalty", penalty, ">= " + LEAST_PENALTY);
    }

    /** Creates parameters without changes of the logits. */
    public SamplingParams(
            int maxNewTokens,
            @Nullable Sampling sampling,
            double repetitionPenalty,
            StoppingCriteria ending,
            boolean logprobs) {
        this(maxNewTokens, sampling, repetitionPenalty, ending, logprobs, 0, false, LogitChanges.NONE);
    }

    /** Creates parameters with log-probabilities. */
    public SamplingParams(
            int maxNewTokens, @Nullable Sampling sampling, double repetitionPenalty, StoppingCriteria ending) {
        this(maxNewTokens, sampling, repetitionPenalty, ending, true);
    }

    /** Returns whether log-probabilities are computed. */
    boolean scores() {
        return logprobs || sampling != null;
    }

    /** Returns parameters for greedy decoding. */
    public static SamplingParams greedy(int maxNewTokens, List<Integer> endTokens) {
        return new SamplingParams(maxNewTokens, null, 1, StoppingCriteria.at(endTokens));
    }

    /**
     * Changes to the logits before sampling, after the repetition penalty; names as in OpenAI's API and vLLM.
     *
     * @param presencePenalty subtracted from every token that the response contains
     * @param frequencyPenalty subtracted for each occurrence of a token in the response
     * @param bias added to tokens, by their ids
     * @param minNewTokens minimum tokens of a response; until then its end tokens are masked and its stop texts are ignored
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

    /**
     * The criteria that end a response before its length limit.
     *
     * @param tokens ids that end it (and belong to it), in the model's order; may be empty
     * @param texts that end it at any position, also across tokens; may be empty
     * @param text decodes tokens, a character with missing bytes as U+FFFD; may be null without texts
     */
    public record StoppingCriteria(Set<Integer> tokens, List<String> texts, @Nullable Function<long[], String> text) {
        public StoppingCriteria {
            tokens = Collections.unmodifiableSet(new LinkedHashSet<>(tokens));
            texts = List.copyOf(texts);
            if (texts.contains("")) {
                throw new IllegalArgumentException("a stop text is empty: it would end every response at once");
            }
            if (!texts.isEmpty() && text == null) {
                throw new IllegalArgumentException("stop texts " + texts + " need the text of tokens");
            }
        }

        /** Returns criteria of these tokens only. */
        public static StoppingCriteria at(List<Integer> tokens) {
            return new StoppingCriteria(new LinkedHashSet<>(tokens), List.of(), null);
        }

        /** Returns the text before the first stop text, or the whole text without one. */
        public String before(String written) {
            int end = written.length();
            for (String stop : texts) {
                int at = written.indexOf(stop);
                end = at < 0 ? end : Math.min(end, at);
            }
            return written.substring(0, end);
        }
    }

    /**
     * Sampling parameters that change the model's distribution of the next token, applied in the order of this record as in transformers.
     *
     * @param temperature divides the logits, &gt; 0
     * @param topK keeps the k likeliest tokens, and those equal to the last of them; 0 for all
     * @param topP keeps the likeliest tokens while those before them add up to less than this, in (0, 1]
     * @param minP keeps tokens with at least this share of the largest probability, in [0, 1]; 0 for all
     */
    public record Sampling(double temperature, int topK, double topP, double minP) {
        public Sampling {
            boolean warm = temperature > 0 && Double.isFinite(temperature);
            require(warm, "temperature", temperature, "> 0; use greedy for 0");
            require(topK >= 0, "top_k", topK, ">= 0");
            require(topP > 0 && topP <= 1, "top_p", topP, "in (0, 1]");
            require(minP >= 0 && minP <= 1, "min_p", minP, "in [0, 1]");
        }

        /** Creates a distribution without min-p. */
        public Sampling(double temperature, int topK, double topP) {
            this(temperature, topK, topP, 0);
        }
    }
}
