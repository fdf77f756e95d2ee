package dev.prpf.par.chat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.par.prompt.PieceList;

/**
 * One function that the assistant called.
 *
 * @param place file and JSON Pointer, for messages
 * @param name the function
 * @param arguments as the message has them: mostly an object, from some servers a string; a missing node if absent
 */
public record ToolCall(String place, String name, JsonNode arguments) {
    /** The call as Qwen2.5 and Qwen3 write it, up to the arguments. */
    PieceList open(PieceList out) {
        return out.control("<tool_call>\n{\"name\": \"").plain(name).control("\", \"arguments\": ");
    }

    /** The arguments as JSON; a string becomes a JSON string. */
    String argumentsJson() {
        if (arguments.isMissingNode()) {
            throw new InvalidDataException(
                    place + ": the call of " + name + " has no arguments, this template writes them; give {}");
        }
        return PythonText.json(arguments);
    }
}
