package dev.prpf.par.openai;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What answers used, as the server counts.
 *
 * @param answers how many there are
 * @param promptTokens of all prompts, or null where the server did not always say
 * @param completionTokens of all answers, or null where the server did not always say
 * @param cut answers that {@code max-tokens} cut off
 * @param tooLong prompts that did not fit the model's context
 * @param cost of the tokens, or null where the price or a count is not known
 */
public record RemoteUsage(
        @JsonProperty("answers") int answers,
        @JsonProperty("prompt_tokens") @Nullable Long promptTokens,
        @JsonProperty("completion_tokens") @Nullable Long completionTokens,
        @JsonProperty("cut") int cut,
        @JsonProperty("too_long") int tooLong,
        @JsonProperty("cost") @Nullable Double cost) {

    static RemoteUsage of(List<ChatOutcome> outcomes, @Nullable TokenPrice price) {
        List<ChatOutcome.Answer> answers = outcomes.stream()
                .filter(ChatOutcome.Answer.class::isInstance)
                .map(ChatOutcome.Answer.class::cast)
                .toList();
        Long prompt = sum(answers.stream().map(ChatOutcome.Answer::promptTokens).toList());
        Long completion =
                sum(answers.stream().map(ChatOutcome.Answer::completionTokens).toList());
        return new RemoteUsage(
                answers.size(),
                prompt,
                completion,
                (int) answers.stream().filter(ChatOutcome.Answer::isCut).count(),
                outcomes.size() - answers.size(),
                price == null || prompt == null || completion == null ? null : price.of(prompt, completion));
    }

    private static @Nullable Long sum(List<@Nullable Integer> counts) {
        return counts.stream().allMatch(Objects::nonNull)
                ? (Long) counts.stream()
                        .mapToLong(count -> Objects.requireNonNull(count))
                        .sum()
                : null;
    }
}
