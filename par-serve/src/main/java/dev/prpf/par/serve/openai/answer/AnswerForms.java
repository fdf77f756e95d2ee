package dev.prpf.par.serve.openai.answer;

import dev.prpf.par.generate.TokenConstraint;
import dev.prpf.par.serve.http.ApiException;
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
}
