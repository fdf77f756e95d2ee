package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.chat.ChatMessage;
import dev.prpf.par.chat.ChatTemplate;
import dev.prpf.par.chat.ChatTemplate.Conversation;
import dev.prpf.par.serve.generation.ServedModel;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.HttpSettings;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.serve.openai.ChatMessages.ChatImages;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.vision.VisualPrompt;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request for a chat's next turn.
 *
 * @param prompt token ids, and the images among them, not decoded yet
 * @param tools functions of the chat; already part of the prompt
 * @param maxTokens maximum tokens of an answer, or null
 * @param top number of likeliest tokens to return at each position; null without log-probabilities
 * @param generation fields shared with completion requests
 */
record ChatCompletionRequest(
        VisualPrompt prompt,
        ToolUse tools,
        ResponseFormat format,
        @Nullable Integer maxTokens,
        @Nullable Integer top,
        GenerationFields generation) {

    /**
     * Reads the request from a body.
     *
     * @throws ApiException 404 for another model, 400 or 413 for unsupported or invalid fields
     */
    static ChatCompletionRequest of(RequestFields body, ServedModel model, HttpSettings limits) {
        GenerationFields generation = GenerationFields.of(body, model);
        if (body.flag("echo", false)) {
            body.refuse("echo", " for a chat; the prompt's ids come with return_token_ids");
        }
        ToolUse tools = tools(body, model);
        Long most = body.integer("max_completion_tokens", 1, Integer.MAX_VALUE);
        Long older = body.integer("max_tokens", 1, Integer.MAX_VALUE);
        Long asked = most == null ? older : most;
        return new ChatCompletionRequest(
                prompt(body, model, tools, limits),
                tools,
                ResponseFormat.of(body),
                asked == null ? null : Math.toIntExact(asked),
                top(body),
                generation);
    }

    /** Returns whether neither a format nor functions constrain the answers. */
    boolean isFree() {
        return format.isText() && tools.callable().isEmpty();
    }

    /** Reads the functions; refuses them first if the template cannot write any. */
    static ToolUse tools(RequestFields body, ServedModel model) {
        ChatTemplate template = model.chat().template();
        if (!template.takesTools() && !body.list("tools").isEmpty()) {
            throw ApiException.invalid(
                    "tools",
                    "tools is not supported: the model's chat template, " + template.name() + ", writes no functions");
        }
        return ToolUse.of(body);
    }

    private static @Nullable Integer top(RequestFields body) {
        boolean wanted = body.flag("logprobs", false);
        Long top = body.integer("top_logprobs", 0, GenerationFields.MOST_LOGPROBS);
        if (top != null && top > 0 && !wanted) {
            throw ApiException.invalid("top_logprobs", "top_logprobs needs \"logprobs\": true");
        }
        return !wanted ? null : top == null ? Integer.valueOf(0) : Integer.valueOf(top.intValue());
    }

    /**
     * Returns the ids of a conversation in the model's template, with a placeholder for each image token.
     *
     * @param body holds {@code messages}, {@code add_generation_prompt}, {@code continue_final_message} and {@code chat_template_kwargs}
     */
    static VisualPrompt prompt(RequestFields body, ServedModel model, ToolUse tools, HttpSettings limits) {
        ChatTemplate template = model.chat().template();
        ChatImages images = new ChatImages(model, limits);
        List<ChatMessage> messages = ChatMessages.read(body, template, images);
        boolean continues = body.flag("continue_final_message", false);
        boolean begins = body.flag("add_generation_prompt", !continues);
        if (continues && begins) {
            throw ApiException.invalid(
                    "continue_final_message", "continue_final_message needs \"add_generation_prompt\": false");
        }
        List<Piece> pieces =
                render(template, new Conversation(messages, tools.tools(), begins, thinking(body, template)));
        GenerationFields.requireShort(
                model, pieces.stream().mapToLong(piece -> piece.text().length()).sum(), "messages");
        return images.prompt(model.chat().tokenizer().encode(continues ? open(pieces, messages, template) : pieces));
    }

    private static List<Piece> render(ChatTemplate template, Conversation conversation) {
        try {
            return template.render(conversation);
        } catch (InvalidDataException e) {
            throw ApiException.invalid("messages", String.valueOf(e.getMessage()));
        }
    }

    private static List<Piece> open(List<Piece> pieces, List<ChatMessage> messages, ChatTemplate template) {
        Piece last = pieces.get(pieces.size() - 1);
        boolean ends = last.control() && last.text().startsWith(template.turnEnd());
        if (messages.get(messages.size() - 1).role() != ChatMessage.Role.ASSISTANT || !ends) {
            throw ApiException.invalid(
                    "continue_final_message",
                    "continue_final_message needs a last message of the assistant, without calls");
        }
        return pieces.subList(0, pieces.size() - 1);
    }

    private static @Nullable Boolean thinking(RequestFields body, ChatTemplate template) {
        RequestFields given = body.object("chat_template_kwargs");
        if (given == null) {
            return null;
        }
        JsonNode thinking = given.json("enable_thinking");
        if (!given.unknown().isEmpty()) {
            String name = given.unknown().get(0);
            throw ApiException.invalid(name, name + " is not supported: templates take only enable_thinking");
        }
        if (thinking != null && !template.takesThinking()) {
            throw ApiException.invalid(
                    given.path("enable_thinking"),
                    "enable_thinking is not supported: the model's chat template, " + template.name()
                            + ", has no such switch");
        }
        return thinking == null ? null : given.flag("enable_thinking", false);
    }
}
