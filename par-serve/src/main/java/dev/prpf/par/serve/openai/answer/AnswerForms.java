package dev.prpf.par.serve.openai.answer;

import dev.prpf.par.generate.TokenConstraint;
import dev.prpf.par.serve.http.ApiException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Says of a chat what its answers must keep to and how they are read. For any number of threads. */
@FunctionalInterface
public interface AnswerForms {
    /**
     * The form of a chat's answers.
     *
     * @param constraint makes what one answer may write, on the generation loop's thread; null where it is free
     * @param reader makes the reader of one answer
     */
    record AnswerForm(@Nullable Supplier<TokenConstraint> constraint, Supplier<AnswerReader> reader) {}

    /** @throws ApiException 400 for what there is no form for */
    AnswerForm of(AnswerRequest request);

    /** Free text alone: JSON and calls of functions are refused. */
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
