package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.par.chat.ChatMessage;
import dev.prpf.par.chat.ChatMessage.Role;
import dev.prpf.par.chat.ChatTemplate;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.RequestFields;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The messages of a chat; all that they say is plain text. */
final class ChatMessages {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String CONTENT = "content";
    private static final String CALLS = "tool_calls";

    /** Names of one field; the first that is there counts, as transformers has it. */
    private static final List<String> REASONING = List.of("reasoning_content", "thinking", "reasoning");

    private static final List<String> PICTURES =
            List.of("image_url", "image", "input_image", "image_pil", "image_embeds");

    private ChatMessages() {}

    /**
     * The field {@code messages}.
     *
     * @throws ApiException 400, naming the field
     */
    static List<ChatMessage> read(RequestFields body, ChatTemplate template) {
        body.required("messages");
        List<RequestFields> messages = body.objects("messages");
        if (messages.isEmpty()) {
            throw ApiException.invalid("messages", "messages is empty, must hold at least one message");
        }
        return messages.stream().map(message -> message(message, template)).toList();
    }

    private static ChatMessage message(RequestFields fields, ChatTemplate template) {
        Role role = role(fields);
        fields.json("name");
        fields.json("tool_call_id");
        fields.refuse("function_call", ": write it as tool_calls");
        fields.refuse("audio", ": this model reads text");
        List<ChatMessage.ToolCall> calls = calls(fields, role, template);
        JsonNode content = fields.json(CONTENT);
        if (content == null && calls.isEmpty()) {
            fields.required(CONTENT);
        }
        String text = content == null ? "" : text(fields, content);
        return new ChatMessage(fields.path(), role, TextNode.valueOf(text), reasoning(fields), calls, null);
    }

    /** OpenAI's later name of the system's role is {@code developer}. */
    private static Role role(RequestFields fields) {
        String name = fields.requiredText("role");
        if (name.equals("developer")) {
            return Role.SYSTEM;
        }
        return Arrays.stream(Role.values())
                .filter(role -> role.text().equals(name))
                .findFirst()
                .orElseThrow(() -> fields.wrong(
                        "role", fields.required("role"), "one of [system, developer, user, assistant, tool]"));
    }

    /** Parts are joined by line ends, as vLLM does it. */
    private static String text(RequestFields fields, JsonNode content) {
        if (content.isTextual()) {
            return content.textValue();
        }
        if (!content.isArray()) {
            throw fields.wrong(CONTENT, content, "text or a list of parts");
        }
        List<String> texts = new ArrayList<>();
        for (RequestFields part : fields.objects(CONTENT)) {
            String type = part.requiredText("type");
            if (PICTURES.contains(type)) {
                throw ApiException.invalid(
                        part.path("type"),
                        part.path("type") + " is \"" + type + "\": this model does not see pictures yet, give text");
            }
            if (!type.equals("text")) {
                throw part.wrong("type", part.required("type"), "\"text\"");
            }
            texts.add(part.requiredText("text"));
        }
        return String.join("\n", texts);
    }

    private static @Nullable String reasoning(RequestFields fields) {
        return REASONING.stream()
                .map(fields::text)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private static List<ChatMessage.ToolCall> calls(RequestFields fields, Role role, ChatTemplate template) {
        List<RequestFields> calls = fields.objects(CALLS);
        if (calls.isEmpty()) {
            return List.of();
        }
        if (role != Role.ASSISTANT) {
            throw ApiException.invalid(
                    fields.path(CALLS),
                    fields.path(CALLS) + ": only an assistant calls functions, this is a " + role.text());
        }
        if (!template.takesTools()) {
            throw ApiException.invalid(
                    fields.path(CALLS),
                    fields.path(CALLS) + " is not supported: the model's chat template, " + template.name()
                            + ", writes no calls");
        }
        return calls.stream().map(ChatMessages::call).toList();
    }

    private static ChatMessage.ToolCall call(RequestFields call) {
        call.json("id");
        call.json("type");
        call.required("function");
        RequestFields function = Objects.requireNonNull(call.object("function"));
        return new ChatMessage.ToolCall(function.path(), function.requiredText("name"), arguments(function));
    }

    /** OpenAI writes an object as a text that holds its JSON; templates take the object. */
    private static JsonNode arguments(RequestFields function) {
        JsonNode given = function.required("arguments");
        JsonNode arguments = given;
        try {
            if (given.isTextual()) {
                arguments = given.textValue().isBlank() ? JSON.createObjectNode() : JSON.readTree(given.textValue());
            }
        } catch (JsonProcessingException e) {
            throw function.wrong("arguments", given, "a JSON object, or a text that holds one");
        }
        if (!arguments.isObject()) {
            throw function.wrong("arguments", given, "a JSON object, or a text that holds one");
        }
        return arguments;
    }
}
