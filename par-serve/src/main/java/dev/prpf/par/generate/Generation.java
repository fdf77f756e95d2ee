package dev.prpf.par.generate;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Arrays;
import java.util.List;

/**
 * The continuation of one prompt.
 *
 * @param ids the new tokens, with the end token
 * @param logProbabilities of each new token under the model itself: the softmax of its logits at temperature 1, without truncation
 * @param samplingLogProbabilities of each new token under the distribution it was drawn from, renormalised. It follows repetition penalty,
 *     constraint, temperature, top-k, top-p and min-p. 0 if no other token was possible, as in greedy decoding
 * @param policyLogProbabilities of each new token after repetition penalty, constraint and temperature, before top-k, top-p and min-p. Trainers
 *     that divide logits by the temperature, such as TRL, compute this value. 0 for greedy tokens
 * @param finish why the generation ended
 * @param cost of the generation; {@link GenerationCost#NONE} if not measured
 */
public record Generation(
        long[] ids,
        float[] logProbabilities,
        float[] samplingLogProbabilities,
        float[] policyLogProbabilities,
        FinishReason finish,
        GenerationCost cost) {
    /** Creates a generation without its cost. */
    public Generation(
            long[] ids,
            float[] logProbabilities,
            float[] samplingLogProbabilities,
            float[] policyLogProbabilities,
            FinishReason finish) {
        this(ids, logProbabilities, samplingLogProbabilities, policyLogProbabilities, finish, GenerationCost.NONE);
    }

    public Generation {
        if (ids.length != logProbabilities.length
                || ids.length != samplingLogProbabilities.length
                || ids.length != policyLogProbabilities.length) {
            throw new IllegalArgumentException(ids.length + " tokens but " + logProbabilities.length + ", "
                    + samplingLogProbabilities.length + " and " + policyLogProbabilities.length + " log-probabilities");
        }
    }

    /** Returns the new tokens without the end token. */
    public long[] withoutEndToken() {
        return ended() ? Arrays.copyOf(ids, ids.length - 1) : ids;
    }

    /** Returns whether the model generated an end token. */
    public boolean ended() {
        return finish == FinishReason.END_TOKEN;
    }

    /**
     * The cost of one sequence. Does not include the numbers of prompt tokens and new tokens.
     *
     * @param cachedTokens prompt tokens from the prefix cache; they went through no pass
     * @param passes forward passes of the sequence
     * @param prefill passes with prompt tokens; the last of them gives the first new token
     * @param decode all later passes
     */
    public record GenerationCost(int cachedTokens, int passes, Phase prefill, Phase decode) {
        /** The cost of a sequence without passes. */
        public static final GenerationCost NONE = new GenerationCost(0, 0, Phase.NONE, Phase.NONE);

        /**
         * The cost of some passes.
         *
         * @param flops floating-point operations of the sequence's tokens, rejected guesses included ({@link dev.prpf.par.engine.DecoderFlops})
         * @param seconds its share of the passes' wall clock, in proportion to the tokens of each sequence
         */
        public record Phase(double flops, double seconds) {
            static final Phase NONE = new Phase(0, 0);

            Phase plus(double moreFlops, double moreSeconds) {
                return new Phase(flops + moreFlops, seconds + moreSeconds);
            }
        }

        GenerationCost withCached(int tokens) {
            return new GenerationCost(tokens, passes, prefill, decode);
        }

        GenerationCost withPass(boolean reads, double flops, double seconds) {
            return reads
                    ? new GenerationCost(cachedTokens, passes + 1, prefill.plus(flops, seconds), decode)
                    : new GenerationCost(cachedTokens, passes + 1, prefill, decode.plus(flops, seconds));
        }
    }

    /** The reason why a generation ended; files have these names in lower case. */
    public enum FinishReason {
        /** The model generated an end token, which is the last token. */
        @JsonProperty("end_token")
        END_TOKEN,
        /** The text contains one of the stop texts; the last token completed it. */
        @JsonProperty("stop_text")
        STOP_TEXT,
        /** The token limit or the end of the model's positions was reached. */
        @JsonProperty("length")
        LENGTH,
        /** The client cancelled the generation. */
        @JsonProperty("cancelled")
        CANCELLED,
        /** The timeout of the generation expired. */
        @JsonProperty("timeout")
        TIMEOUT
    }

    /**
     * The log-probabilities of a prompt's tokens, each given those before it; the first token has none.
     *
     * @param logProbabilities of the tokens from the second on, under the model itself
     * @param top the likeliest tokens at each of these positions; empty if not requested
     */
    public record PromptScores(float[] logProbabilities, List<TopLogprobs> top) {
        public PromptScores {
            top = List.copyOf(top);
        }
    }

    /**
     * The likeliest tokens at one position.
     *
     * @param ids likeliest first; as many as requested, at most the vocabulary
     * @param logProbabilities of each under the model itself: the softmax of its logits at temperature 1, without truncation
     */
    public record TopLogprobs(long[] ids, float[] logProbabilities) {
        /** Reads rows of tokens, followed by their log-probabilities: the script's {@code top_logprobs}. */
        static TopLogprobs of(double[] rows, int row, int width) {
            long[] ids = new long[width];
            float[] logProbabilities = new float[width];
            for (int i = 0; i < width; i++) {
                ids[i] = (long) rows[2 * row * width + i];
                logProbabilities[i] = (float) rows[(2 * row + 1) * width + i];
            }
            return new TopLogprobs(ids, logProbabilities);
        }
    }
}
