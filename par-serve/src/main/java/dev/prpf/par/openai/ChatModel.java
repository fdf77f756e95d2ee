package dev.prpf.par.openai;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A model that answers chat requests, on a server ({@link ChatClient}) or elsewhere. */
public interface ChatModel extends AutoCloseable {
    int HASH_SHOWN = 12;

    /** Name of the model; answers of models with different names are kept apart. */
    String model();

    /** Receives outcomes as they arrive, in any order, one at a time. */
    @FunctionalInterface
    interface Listener {
        void came(int index, ChatOutcome outcome);
    }

    /** Receives an answer while it is written, on the thread that requests it. An exception cancels the request. */
    interface Progress {
        /** Receives new text of the answer. */
        void wrote(String text);

        /** Called ten times a second until the end of the answer. */
        void waiting();
    }

    /**
     * Passes one outcome for each request to the listener.
     *
     * @throws dev.prpf.base.error.PrpfException 69 if the model cannot be reached, 75 when stopped; earlier outcomes were passed on
     */
    void ask(List<ChatRequest> requests, Listener listener);

    /** Returns an id for provenance: the kind, the model, and a hash over all settings that influence answers. */
    default String id(String kind, String settings) {
        return kind + ":" + model() + ":" + AnswerJournal.sha256(settings).substring(0, HASH_SHOWN);
    }

    @Override
    void close();

    /** The outcome of a chat request. */
    sealed interface ChatOutcome {
        /**
         * An answer to a request.
         *
         * @param text the answer; may be empty
         * @param finishReason {@code stop}, {@code length} if {@code max_tokens} truncated it, or the server's value; "unknown" without
         * @param promptTokens counted by the server, or null if it does not report them
         * @param completionTokens counted by the server, including hidden reasoning
         */
        record Answer(
                String text, String finishReason, @Nullable Integer promptTokens, @Nullable Integer completionTokens)
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
}
