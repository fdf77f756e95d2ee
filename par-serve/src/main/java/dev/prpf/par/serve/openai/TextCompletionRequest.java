package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.serve.generation.ServedModel;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A request to complete texts.
 *
 * @param prompts at least one
 * @param maxTokens maximum tokens of an answer; 0 only with {@code echo}
 * @param top number of likeliest tokens to return at each position; null without log-probabilities
 * @param echo whether answers begin with their prompts
 * @param generation fields shared with chat requests
 */
record TextCompletionRequest(
        List<Prompt> prompts, int maxTokens, @Nullable Integer top, boolean echo, GenerationFields generation) {
    /** OpenAI's default of {@code max_tokens}. */
    private static final int SHORT = 16;

    /** A prompt, with its text as received or decoded from its ids. */
    record Prompt(long[] ids, String text) {}

    /** @throws ApiException 404 for another model, 400 for unsupported or invalid fields */
    static TextCompletionRequest of(RequestFields body, ServedModel model) {
        GenerationFields generation = GenerationFields.of(body, model);
        if (!ResponseFormat.of(body).isText()) {
            String field = body.json("structured_outputs") == null ? "response_format" : "structured_outputs";
            throw ApiException.invalid(field, field + " is not supported here, only in chats");
        }
        boolean echo = body.flag("echo", false);
        int most = body.integer("max_tokens", echo ? 0 : 1, Integer.MAX_VALUE, SHORT);
        Long top = body.integer("logprobs", 0, GenerationFields.MOST_LOGPROBS);
        if (echo && top != null && generation.stream()) {
            throw ApiException.invalid("echo", "echo with logprobs does not come as a stream; give \"stream\": false");
        }
        List<Prompt> prompts = prompts(body, model, generation);
        return new TextCompletionRequest(prompts, most, top == null ? null : top.intValue(), echo, generation);
    }

    /** Reads a text, several texts, ids, or several lists of ids. */
    private static List<Prompt> prompts(RequestFields body, ServedModel model, GenerationFields generation) {
        JsonNode given = body.required("prompt");
        boolean one = given.isTextual() || (given.isArray() && given.path(0).isNumber());
        List<JsonNode> nodes = one ? List.of(given) : body.list("prompt");
        if (nodes.isEmpty()) {
            throw body.wrong("prompt", given, "a text, token ids, or a list of either, not empty");
        }
        requireFew(nodes.size() * generation.n(), model.service().most()); // before tokenization
        boolean special = body.flag("add_special_tokens", true);
        List<Prompt> prompts = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            String field = one ? "prompt" : "prompt[" + i + "]";
            Prompt prompt = prompt(field, nodes.get(i), model, generation, special);
            if (prompt.ids().length == 0) {
                throw ApiException.invalid(field, field + " is empty, must hold at least one token");
            }
            requireText(prompt, field, model);
            prompts.add(prompt);
        }
        return prompts;
    }

    private static void requireText(Prompt prompt, String field, ServedModel model) {
        int placeholder = model.chat().images().placeholder();
        if (LongStream.of(prompt.ids()).anyMatch(id -> id == placeholder)) {
            throw ApiException.invalid(
                    field,
                    field + " holds token " + placeholder + ", which is a placeholder of an image; "
                            + (model.sees()
                                    ? "an image comes in a chat, as an image_url part of a message"
                                    : model.noImagesMessage()));
        }
    }

    private static void requireFew(int answers, int most) {
        if (answers > most) {
            throw ApiException.invalid(
                    "prompt",
                    "prompt and n ask for " + answers + " answers at once, this server gives at most " + most);
        }
    }

    private static Prompt prompt(
            String field, JsonNode given, ServedModel model, GenerationFields generation, boolean special) {
        Tokenizer tokenizer = model.chat().tokenizer();
        if (given.isTextual()) {
            String text = given.textValue();
            GenerationFields.requireShort(model, text.length(), field);
            return new Prompt(special ? tokenizer.encodeFirst(text) : tokenizer.encodePlain(text), text);
        }
        long[] ids = GenerationFields.ids(field, given, model.service().vocabularySize());
        return new Prompt(ids, generation.view().text(tokenizer).apply(ids));
    }
}
