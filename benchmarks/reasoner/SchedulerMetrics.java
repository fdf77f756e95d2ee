package dev.prpf.par.bench;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.par.bench.BenchMetrics.Spread;
import java.util.List;
import java.util.Locale;

/**
 * The scheduler's metrics in one number format.
 *
 * @param dtype number format
 * @param batching sequences of mixed lengths compared with a static batch
 * @param prefix a prompt with the previous prompt's prefix
 * @param diverged share of the first sequences (one for each slot) with other tokens in a batch than by themselves
 */
public record SchedulerMetrics(String dtype, Batching batching, Prefix prefix, double diverged) {
    /**
     * Sequences of mixed lengths in fewer slots, while every slot is busy, compared with a static batch. The static batch has one sequence of
     * mean length for each slot; their prompts are read in one pass, and all end together. The time is compared for the same work. A prompt
     * token (with each prompt's first new token) and a further new token count as in the static batch of the same round.
     *
     * @param slots sequences that run at a time
     * @param sequences that there are
     * @param staticPrefill prompt tokens a second of the static batch
     * @param staticDecode new tokens a second of the static batch, without the first ones
     * @param promptTokens that were read while all slots were busy; of prompts read in part none
     * @param newTokens that were written then, without the first ones
     * @param seconds that it took
     * @param ofStatic seconds that the static batch would take for these tokens, over those seconds
     */
    public record Batching(
            int slots,
            int sequences,
            @JsonProperty("static_prefill_tok_s") Spread staticPrefill,
            @JsonProperty("static_decode_tok_s") Spread staticDecode,
            @JsonProperty("prompt_tokens") long promptTokens,
            @JsonProperty("new_tokens") long newTokens,
            Spread seconds,
            @JsonProperty("of_static") Spread ofStatic) {}

    /**
     * Time to the first token.
     *
     * @param tokens that both prompts begin with
     * @param first milliseconds of the first prompt
     * @param second milliseconds of the second
     * @param ofFirst the second over the first
     */
    public record Prefix(
            int tokens,
            @JsonProperty("first_ms") Spread first,
            @JsonProperty("second_ms") Spread second,
            @JsonProperty("of_first") Spread ofFirst) {}

    List<String> lines() {
        return List.of(
                String.format(
                        Locale.ROOT,
                        "%s: %d sequences of mixed lengths through %d slots, all busy: %s of a static batch's speed (%d"
                                + " prompt and %d new tokens in %s s; static: reads %s, writes %s tok/s)",
                        dtype,
                        batching.sequences,
                        batching.slots,
                        batching.ofStatic.text(2),
                        batching.promptTokens,
                        batching.newTokens,
                        batching.seconds.text(1),
                        batching.staticPrefill.text(0),
                        batching.staticDecode.text(0)),
                String.format(
                        Locale.ROOT,
                        "%s: first token after %s ms, of a prompt with the same first %d tokens after %s ms: %s of it",
                        dtype,
                        prefix.first.text(0),
                        prefix.tokens,
                        prefix.second.text(0),
                        prefix.ofFirst.text(2)),
                String.format(
                        Locale.ROOT,
                        "%s: %.0f %% of sequences have other tokens in a batch than alone",
                        dtype,
                        100 * diverged));
    }
}
