package dev.prpf.par.openai;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The usage of answers, as counted by the server.
 *
 * @param promptTokens of all prompts, or null if the server did not always report them
 * @param completionTokens of all answers, or null if the server did not always report them
 * @param cut number of answers truncated by {@code max-tokens}
 * @param tooLong number of prompts beyond the model's context
 * @param refused number of requests rejected for other reasons, such as a content filter
 * @param cost of the tokens, or null if the price or a count is unknown
 */
public record RemoteUsage(
        int answers,
        @Nullable Long promptTokens,
        @Nullable Long completionTokens,
        int cut,
        int tooLong,
        int refused,
        @Nullable Double cost) {

    static RemoteUsage of(List<ChatOutcome> outcomes, @Nullable TokenPrice price) {
        List<ChatOutcome.Answer> answers = outcomes.stream()
                .filter(ChatOutcome.Answer.class::isInstance)
                .map(ChatOutcome.Answer.class::cast)
                .toList();
        Long prompt = sum(answers, ChatOutcome.Answer::promptTokens);
        Long completion = sum(answers, ChatOutcome.Answer::completionTokens);
        return new RemoteUsage(
                answers.size(),
                prompt,
                completion,
                (int) answers.stream().filter(ChatOutcome.Answer::isCut).count(),
                count(outcomes, ChatOutcome.TooLong.class),
                count(outcomes, ChatOutcome.Refused.class),
                price == null || prompt == null || completion == null ? null : price.of(prompt, completion));
    }

    private static int count(List<ChatOutcome> outcomes, Class<? extends ChatOutcome> kind) {
        return (int) outcomes.stream().filter(kind::isInstance).count();
    }

    /**
     * Fails if the server answered no request.
     *
     * @throws dev.prpf.base.error.PrpfException 78 if there were requests but no answer
     */
    public void requireAnswers() {
        if (answers == 0 && tooLong + refused > 0) {
            throw new InvalidConfigurationException("the server answered none of " + (tooLong + refused) + " requests: "
                    + tooLong + " too long for the model's context, " + refused
                    + " refused; set sampling.max-tokens lower, shorten the prompts, or start the server with a longer"
                    + " context, then run again with another --out");
        }
    }

    /** Returns the usage of several servers' answers; null without answers. */
    public static @Nullable RemoteUsage sum(List<RemoteUsage> usages) {
        return usages.stream().reduce(RemoteUsage::plus).orElse(null);
    }

    private RemoteUsage plus(RemoteUsage other) {
        return new RemoteUsage(
                answers + other.answers,
                promptTokens == null || other.promptTokens == null ? null : promptTokens + other.promptTokens,
                completionTokens == null || other.completionTokens == null
                        ? null
                        : completionTokens + other.completionTokens,
                cut + other.cut,
                tooLong + other.tooLong,
                refused + other.refused,
                cost == null || other.cost == null ? null : cost + other.cost);
    }

    /** Sums the counts; null if one is missing. */
    private static @Nullable Long sum(
            List<ChatOutcome.Answer> answers, Function<ChatOutcome.Answer, @Nullable Integer> tokens) {
        List<Integer> counts =
                answers.stream().map(tokens).flatMap(Stream::ofNullable).toList();
        return counts.size() < answers.size()
                ? null
                : counts.stream().mapToLong(Integer::longValue).sum();
    }

    /**
     * The price of a million tokens, in any currency.
     *
     * @param prompt price of a million tokens of prompts
     * @param completion price of a million tokens of answers
     */
    public record TokenPrice(double prompt, double completion) {
        private static final double MILLION = 1e6;

        public TokenPrice {
            Rule.require(prompt >= 0, "prompt", prompt, "at least 0");
            Rule.require(completion >= 0, "completion", completion, "at least 0");
        }

        /** Returns the cost of a number of tokens. */
        public double of(long promptTokens, long completionTokens) {
            return (promptTokens * prompt + completionTokens * completion) / MILLION;
        }
    }
}
