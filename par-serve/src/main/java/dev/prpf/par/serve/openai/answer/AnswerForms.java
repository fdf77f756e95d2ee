package dev.prpf.par.serve.openai.answer;

import dev.prpf.par.generate.TokenConstraint;
import dev.prpf.par.serve.http.ApiException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Selects the constraint and the reader of a chat's answers. Thread-safe. */
@FunctionalInterface
public interface AnswerForms {
    /**
     * The form of a chat's answers.
     *
     * @param constraint creates the constraint of one answer, on the generation loop's thread; null for free text
     * @param reader creates the reader of one answer
     */
    record AnswerForm(@Nullable Supplier<TokenConstraint> constraint, Supplier<AnswerReader> reader) {}

    /** @throws ApiException 400 for an unsupported form */
    AnswerForm of(AnswerRequest request);

    /** Supports free text only: JSON and function calls are refused. */
    AnswerForms TEXT = request -> {
        if (!(request.format() instanceof ResponseFormat.Text)) {
            throw ApiException.invalid("response_format", "response_format is not supported: this server writes text");
        }
        if (!(request.tools().choice() instanceof ToolUse.Choice.None)) {
            throw ApiException.invalid(
                    "tool_choice",
                    "tools are not supported but with \"tool_choice\": \"none\": calls are not read here");
        }
        return new AnswerForm(null, AnswerReader::plain);
    };

    /** A piece of a chat's answer. Pieces of one kind, joined in order, are that part of the message. */
    sealed interface AnswerDelta {
        /** A piece of the message's content. */
        record Content(String text) implements AnswerDelta {}

        /** A piece of the reasoning, if it is separated from the content. */
        record Reasoning(String text) implements AnswerDelta {}

        /**
         * A piece of a function call.
         *
         * @param index of the call in the message
         * @param id with its first piece, else null
         * @param name of the function, with its first piece, else null
         * @param arguments next part of their JSON; may be empty
         */
        record ToolCall(int index, @Nullable String id, @Nullable String name, String arguments)
                implements AnswerDelta {}
    }

    /** Splits the text of one answer, as it arrives, into content, reasoning and calls. */
    interface AnswerReader {
        /** Adds text and returns the pieces known now. */
        List<AnswerDelta> read(String text);

        /** Returns the remaining pieces; nothing follows. */
        List<AnswerDelta> end();

        /** Returns a reader that treats the whole text as content. */
        static AnswerReader plain() {
            return new AnswerReader() {
                @Override
                public List<AnswerDelta> read(String text) {
                    return text.isEmpty() ? List.of() : List.of(new AnswerDelta.Content(text));
                }

                @Override
                public List<AnswerDelta> end() {
                    return List.of();
                }
            };
        }
    }

    /**
     * The part of a chat request that decides the form of its answers.
     *
     * @param tenant that owns the compiled schemas
     * @param tools functions, and whether they are called
     * @param prompt token ids before the answers
     * @param maxTokens maximum tokens of an answer
     * @param ends whether the first of the model's end tokens ends an answer
     */
    record AnswerRequest(
            String tenant, ToolUse tools, ResponseFormat format, long[] prompt, int maxTokens, boolean ends) {
        /** Returns whether a format or functions constrain the answers, which requires compilation. */
        public boolean constrained() {
            return !(format instanceof ResponseFormat.Text && tools.choice() instanceof ToolUse.Choice.None);
        }
    }
}
