package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.par.chat.ChatMessage;
import dev.prpf.par.chat.ChatMessage.Role;
import dev.prpf.par.chat.ChatTemplate;
import dev.prpf.par.serve.generation.ServedModel;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.HttpSettings;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.vision.VisualPrompt;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads the messages of a chat; all their content is plain text for the tokenizer. */
final class ChatMessages {
    private static final String CONTENT = "content";
    private static final String CALLS = "tool_calls";

    /** Names of one field; the first one present counts, as in transformers. */
    private static final List<String> REASONING = List.of("reasoning_content", "thinking", "reasoning");

    private static final String IMAGE = "image_url";
    private static final List<String> OTHER_IMAGES = List.of("image", "input_image", "image_pil", "image_embeds");

    private ChatMessages() {}

    /**
     * Reads the field {@code messages}.
     *
     * @throws ApiException 400 or 413, naming the field
     */
    static List<ChatMessage> read(RequestFields body, ChatTemplate template, ChatImages images) {
        body.required("messages");
        List<RequestFields> messages = body.objects("messages");
        if (messages.isEmpty()) {
            throw ApiException.invalid("messages", "messages is empty, must hold at least one message");
        }
        return messages.stream()
                .map(message -> message(message, template, images))
                .toList();
    }

    private static ChatMessage message(RequestFields fields, ChatTemplate template, ChatImages images) {
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
        List<Piece> pieces = content == null ? List.of() : pieces(fields, content, role, images);
        TextNode text = TextNode.valueOf(Piece.text(pieces));
        boolean showsImages = Piece.images(pieces) > 0;
        return new ChatMessage(fields.path(), role, text, reasoning(fields), calls, showsImages ? pieces : null);
    }

    /** Reads a message's role. OpenAI's later name of the system role is {@code developer}. */
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

    /** Reads the parts of a message. Joins parts by line ends if all are text, as in vLLM; next to images they are not joined, as in templates. */
    private static List<Piece> pieces(RequestFields fields, JsonNode content, Role role, ChatImages images) {
        if (content.isTextual()) {
            return List.of(Piece.plain(content.textValue()));
        }
        if (!content.isArray()) {
            throw fields.wrong(CONTENT, content, "text or a list of parts");
        }
        List<Piece> pieces = new ArrayList<>();
        for (RequestFields part : fields.objects(CONTENT)) {
            String type = part.requiredText("type");
            pieces.add(piece(part, type, role, images));
        }
        return Piece.images(pieces) > 0
                ? List.copyOf(pieces)
                : List.of(Piece.plain(pieces.stream().map(Piece::text).collect(Collectors.joining("\n"))));
    }

    private static Piece piece(RequestFields part, String type, Role role, ChatImages images) {
        if (type.equals(IMAGE)) {
            return images.add(part, role);
        }
        if (OTHER_IMAGES.contains(type)) {
            throw ApiException.invalid(
                    part.path("type"),
                    part.path("type") + " is \"" + type + "\": an image comes as \"" + IMAGE + "\" with a data URL");
        }
        if (!type.equals("text")) {
            throw part.wrong("type", part.required("type"), "\"text\" or \"" + IMAGE + "\"");
        }
        return Piece.plain(part.requiredText("text"));
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
        RequestFields function = call.requiredObject("function");
        return new ChatMessage.ToolCall(function.path(), function.requiredText("name"), arguments(function));
    }

    /** Reads the arguments of a call. OpenAI sends the object as a text with its JSON; templates take the object. */
    private static JsonNode arguments(RequestFields function) {
        String rule = "a JSON object, or a text that holds one";
        JsonNode given = function.required("arguments");
        if (given.isTextual() && given.textValue().isBlank()) {
            return JsonNodeFactory.instance.objectNode();
        }
        JsonNode arguments = Objects.requireNonNull(function.embedded("arguments", rule));
        if (!arguments.isObject()) {
            throw function.wrong("arguments", given, rule);
        }
        return arguments;
    }

    /** The images of one chat, collected while its messages are read. */
    static final class ChatImages {
        private static final String MESSAGES = "messages";
        private static final String OWNER = ""; // an image of a request belongs to no sample

        private final ServedModel model;
        private final HttpSettings limits;
        private final List<TraceStep.Screenshot> shown = new ArrayList<>();

        ChatImages(ServedModel model, HttpSettings limits) {
            this.model = model;
            this.limits = limits;
        }

        /**
         * Adds an image from a part {@code {"type": "image_url", "image_url": {"url": "data:image/png;base64,…"}}}.
         *
         * @throws ApiException 400 for a model without vision, a role other than the user, or an invalid data URL; 413 for too large or too many
         *     images
         */
        Piece add(RequestFields part, Role role) {
            String place = part.path("image_url");
            if (!model.sees()) {
                throw ApiException.invalid(place, place + ": " + model.noImagesMessage());
            }
            if (role != Role.USER) {
                throw ApiException.invalid(place, place + ": only a user shows images, this is a " + role.text());
            }
            String url = url(part);
            limits.requireFewImages(MESSAGES, shown.size() + 1);
            limits.requireImage(place, url);
            shown.add(new TraceStep.Screenshot(url));
            return Piece.IMAGE;
        }

        /** Reads OpenAI's object, or only the URL as text, as some clients send it. */
        private static String url(RequestFields part) {
            if (part.required("image_url").isTextual()) {
                return part.requiredText("image_url");
            }
            RequestFields given = part.requiredObject("image_url");
            given.json("detail");
            return given.requiredText("url");
        }

        /**
         * Returns the prompt with a placeholder for each of an image's tokens; decodes nothing yet.
         *
         * @param ids one placeholder per image
         * @throws ApiException 400 for an image that cannot be shown
         */
        VisualPrompt prompt(long[] ids) {
            try {
                return model.chat().images().prompt(ids, shown, OWNER);
            } catch (InvalidDataException e) {
                throw ApiException.invalid(MESSAGES, String.valueOf(e.getMessage()));
            }
        }
    }
}
