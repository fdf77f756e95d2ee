package dev.prpf.par.openai;

import org.jspecify.annotations.Nullable;

/** The outcome of a chat request. */
public sealed interface ChatOutcome {
    /**
     * An answer to a request.
     *
     * @param text the answer; may be empty
     * @param finishReason {@code stop}, {@code length} if {@code max_tokens} truncated it, or the server's value; "unknown" without
     * @param promptTokens counted by the server, or null if it does not report them
     * @param completionTokens counted by the server, including hidden reasoning
     */
    record Answer(String text, String finishReason, @Nullable Integer promptTokens, @Nullable Integer completionTokens)
            implements ChatOutcome {
        /** Returns whether {@code max_tokens} truncated the answer. */
        public boolean isCut() {
            return finishReason.equals("length");
        }
    }

    /** The server rejects this request; a retry does not help. */
    sealed interface NoAnswer extends ChatOutcome {
        /** Returns the server's words. */
        String why();

        /** Returns a description of the refusal, with the server's words. */
        String reason();
    }

    /** The prompt, or prompt plus answer, exceeds the model's context. */
    record TooLong(String why) implements NoAnswer {
        @Override
        public String reason() {
            return "the prompt is too long for the model: " + why;
        }
    }

    /** The server rejects the request for another reason, such as a content filter. */
    record Refused(String why) implements NoAnswer {
        @Override
        public String reason() {
            return "refused by the server: " + why;
        }
    }
}
