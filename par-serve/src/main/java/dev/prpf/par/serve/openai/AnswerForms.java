package dev.prpf.par.serve.openai;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.chat.ToolCallReader;
import dev.prpf.par.chat.ToolCallReader.Thinking;
import dev.prpf.par.constraint.JsonSchemaConstraints;
import dev.prpf.par.constraint.JsonSchemaConstraints.Compiled;
import dev.prpf.par.serve.generation.ServedModel;
import dev.prpf.par.serve.http.ApiException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Constrains answers to JSON Schemas, choices and function calls, and reads them in the syntax of the model's family. Thread-safe.
 */
final class AnswerForms {
    /** Number of tokens that always contain the tag at a prompt's end. */
    private static final int TAIL = 8;

    private final ChatTokenizer chat;
    private final JsonSchemaConstraints vocabulary;
    private final Map<String, JsonSchemaConstraints> tenants = new ConcurrentHashMap<>();

    /** @throws PrpfException 78 for a model without an end token */
    AnswerForms(ServedModel model) {
        chat = model.chat();
        vocabulary = JsonSchemaConstraints.of(
                chat.tokenizer(),
                model.service().vocabularySize(),
                model.defaults().endTokens());
    }

    ToolCallReader reader(ChatCompletionRequest request) {
        return new ToolCallReader(
                thinking(request), chat.template().calls(), request.tools().callable());
    }

    private Thinking thinking(ChatCompletionRequest request) {
        long[] prompt = request.prompt().ids();
        long[] tail = Arrays.copyOfRange(prompt, Math.max(0, prompt.length - TAIL), prompt.length);
        return Thinking.after(chat.template(), chat.tokenizer().decode(tail));
    }

    /**
     * Compiles the constraint of a chat's answers; null for free text.
     *
     * @param caller API key that owns the compiled schemas. Shared ones would reveal other keys' schemas by response times
     * @param ends whether the first of the model's end tokens ends an answer
     * @throws ApiException 400 for an unsupported form, or one that needs more tokens
     */
    @Nullable
    Compiled constraint(String caller, ChatCompletionRequest request, int maxTokens, boolean ends) {
        boolean called = !request.tools().callable().isEmpty();
        ResponseFormat format = request.format();
        if (!format.isText() && called) {
            throw ApiException.invalid(
                    "tool_choice",
                    "tool_choice must equal none together with " + format.field()
                            + ": an answer is either of that format or a call");
        }
        if (format.isText() && !called) {
            return null;
        }
        String field = called ? "tools" : format.field();
        JsonSchemaConstraints constraints = tenants.computeIfAbsent(caller, unseen -> vocabulary.separate());
        try {
            Compiled compiled = called
                    ? calls(constraints, request)
                    : format.schema() == null
                            ? constraints.choice(thinking(request), format.choice())
                            : constraints.json(thinking(request), format.schema());
            if (!called || request.tools().required()) {
                requireRoom(compiled, maxTokens, ends);
            }
            return compiled;
        } catch (InvalidDataException e) {
            throw ApiException.invalid(field, field + ": " + e.getMessage());
        }
    }

    private Compiled calls(JsonSchemaConstraints constraints, ChatCompletionRequest request) {
        ToolUse tools = request.tools();
        return tools.required()
                ? constraints.calls(thinking(request), chat.template().calls(), tools.callable(), tools.parallel())
                : constraints.calledFreely(
                        thinking(request), chat.template().calls(), tools.callable(), tools.strict());
    }

    private static void requireRoom(Compiled constraint, int maxTokens, boolean ends) {
        if (!ends) {
            throw ApiException.invalid(
                    "ignore_eos",
                    "ignore_eos and min_tokens are not supported with a format or a call: these end by themselves");
        }
        if (constraint.shortest() > maxTokens) {
            throw ApiException.invalid(
                    "max_tokens",
                    "an answer may have " + maxTokens + " tokens; the shortest requested one needs at most "
                            + constraint.shortest());
        }
    }
}
