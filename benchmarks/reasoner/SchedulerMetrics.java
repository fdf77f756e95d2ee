package dev.prpf.par.bench;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.par.bench.BenchMetrics.Spread;
import java.util.List;
import java.util.Locale;

/**
 * What the scheduler does in one number format.
 *
 * @param dtype number format
 * @param batching sequences of mixed lengths beside a static batch
 * @param prefix a prompt that begins like the one before
 * @param diverged share of the first sequences, as many as slots, whose tokens are others alone than among the rest
 */
public record SchedulerMetrics(String dtype, Batching batching, Prefix prefix, double diverged) {
    /**
     * Sequences of mixed lengths through fewer slots, as long as every slot has one, beside a static batch: as many sequences as slots, each of
     * the mean lengths, whose prompts are read in one pass and which then write together to their common end. What is compared is the time
     * for the same work: a prompt token (each prompt's first new token among them) and a further new token count what they take in the
     * static batch of the same round.
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
