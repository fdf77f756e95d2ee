package dev.prpf.par.openai;

import org.jspecify.annotations.Nullable;

/** The outcome of a request. */
public sealed interface ChatOutcome {
    /**
     * An answer.
     *
     * @param text the answer; may be empty
     * @param finishReason {@code stop}, {@code length} where {@code max_tokens} cut it off, or what the server calls it; "unknown" without
     * @param promptTokens as the server counts, or null where it does not say
     * @param completionTokens the same, thoughts the server keeps to itself included
     */
    record Answer(String text, String finishReason, @Nullable Integer promptTokens, @Nullable Integer completionTokens)
            implements ChatOutcome {
        /** Whether {@code max_tokens} cut it off. */
        public boolean isCut() {
            return finishReason.equals("length");
        }
    }

    /** The prompt, or prompt and answer together, do not fit the model's context; {@code why} in the server's words. */
    record TooLong(String why) implements ChatOutcome {}
}
