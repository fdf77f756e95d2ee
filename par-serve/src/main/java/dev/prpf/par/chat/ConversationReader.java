package dev.prpf.par.chat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.JsonFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reads and checks messages and tools in the format of OpenAI's clients and transformers; ignores fields that no template reads. */
public final class ConversationReader {
    private static final int SHOWN = 80;

    /** Names of one field; transformers takes the first one present. */
    private static final List<String> REASONING = List.of("reasoning_content", "thinking", "reasoning");

    private ConversationReader() {}

    /** Reads a JSON array of messages. */
    public static List<ChatMessage> messages(Path file) {
        return messages(file.toString(), JsonFile.read(file));
    }

    /** Reads a JSON array of functions. */
    public static List<JsonNode> tools(Path file) {
        return tools(file.toString(), JsonFile.read(file));
    }

    static List<ChatMessage> messages(String place, JsonNode root) {
        requireArray(place, root, "of messages");
        if (root.isEmpty()) {
            throw new InvalidDataException(place + ": has no messages; give at least one");
        }
        return each(place + ": ", root, ConversationReader::message);
    }

    static List<JsonNode> tools(String place, JsonNode root) {
        requireArray(place, root, "of functions");
        return each(place + ": ", root, (at, tool) -> requireObject(at, tool, "a function"));
    }

    private static ChatMessage message(String place, JsonNode json) {
        requireObject(place, json, "a message");
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(json.toString())) {
            throw new InvalidDataException(
                    place + ": holds half a surrogate pair, which is no text; write the character whole");
        }
        ChatMessage.Role role = role(place, json.path("role"));
        List<ChatMessage.ToolCall> calls = calls(place + "/tool_calls", json.path("tool_calls"));
        if (role != ChatMessage.Role.ASSISTANT && !calls.isEmpty()) {
            throw new InvalidDataException(
                    place + "/tool_calls: a " + role.text() + " calls no functions, only an assistant does");
        }
        JsonNode content = json.path("content");
        if (content.isMissingNode() && calls.isEmpty()) {
            throw new InvalidDataException(place + ": this " + role.text()
                    + " message has no content; only an assistant that calls functions may leave it out");
        }
        if (content.isArray()) {
            each(place + "/content", content, (at, part) -> requireObject(at, part, "a part of the content"));
        }
        return new ChatMessage(place, role, content, reasoning(place, json), calls, null);
    }

    private static ChatMessage.Role role(String place, JsonNode json) {
        return Arrays.stream(ChatMessage.Role.values())
                .filter(role -> json.isTextual() && role.text().equals(json.asText()))
                .findFirst()
                .orElseThrow(() -> new InvalidDataException(place + "/role: is " + shown(json) + ", must be one of "
                        + Arrays.stream(ChatMessage.Role.values())
                                .map(ChatMessage.Role::text)
                                .toList()));
    }

    private static @Nullable String reasoning(String place, JsonNode json) {
        for (String name : REASONING) {
            JsonNode value = json.path(name);
            if (value.isTextual()) {
                return value.asText();
            }
            if (!value.isNull() && !value.isMissingNode()) {
                throw new InvalidDataException(place + "/" + name + ": is " + shown(value) + ", must be text");
            }
        }
        return null;
    }

    private static List<ChatMessage.ToolCall> calls(String place, JsonNode json) {
        if (json.isMissingNode() || json.isNull()) {
            return List.of();
        }
        requireArray(place, json, "of calls");
        return each(place, json, ConversationReader::call);
    }

    private static ChatMessage.ToolCall call(String place, JsonNode json) {
        requireObject(place, json, "a call");
        boolean wrapped = json.has("function");
        String inner = place + (wrapped ? "/function" : "");
        JsonNode function = wrapped ? requireObject(inner, json.path("function"), "a function") : json;
        JsonNode name = function.path("name");
        if (!name.isTextual()) {
            throw new InvalidDataException(inner + "/name: is " + shown(name) + ", must be the function's name");
        }
        return new ChatMessage.ToolCall(inner, name.asText(), function.path("arguments"));
    }

    private static <T> List<T> each(String place, JsonNode array, BiFunction<String, JsonNode, T> reader) {
        return IntStream.range(0, array.size())
                .mapToObj(i -> reader.apply(place + "/" + i, array.path(i)))
                .toList();
    }

    private static void requireArray(String place, JsonNode json, String what) {
        if (!json.isArray()) {
            throw new InvalidDataException(place + ": is " + shown(json) + ", must be a JSON array " + what);
        }
    }

    private static JsonNode requireObject(String place, JsonNode json, String what) {
        if (!json.isObject()) {
            throw new InvalidDataException(place + ": is " + shown(json) + ", must be " + what + ", a JSON object");
        }
        return json;
    }

    private static String shown(JsonNode json) {
        String text = json.isMissingNode() ? "missing" : PythonText.json(json);
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
    }
}
