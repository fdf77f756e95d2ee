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

    /** The server refuses this request; sending it again does not help. */
    sealed interface NoAnswer extends ChatOutcome {
        /** Returns the server's words. */
        String why();

        /** Returns a description of the refusal, with the server's words. */
        String reason();
    }

    /** The prompt, or prompt and answer together, do not fit the model's context. */
    record TooLong(String why) implements NoAnswer {
        @Override
        public String reason() {
            return "the prompt is too long for the model: " + why;
        }
    }

    /** The server refuses the request for another reason, such as a content filter. */
    record Refused(String why) implements NoAnswer {
        @Override
        public String reason() {
            return "refused by the server: " + why;
        }
    }
}
