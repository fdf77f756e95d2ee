package dev.prpf.par.chat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.prompt.ChatMl;
import dev.prpf.par.prompt.PieceList;
import java.util.List;

/** What the Qwen templates write alike: the functions' heading of Qwen2.5 and Qwen3, and tools' answers gathered in one user turn. */
final class ToolTurns {
    private static final String OPEN =
            "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
                    + "You are provided with function signatures within <tools></tools> XML tags:\n<tools>";
    private static final String CLOSE =
            "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
                    + "<tool_call></tool_call> XML tags:\n<tool_call>\n"
                    + "{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>"
                    + ChatMl.END + "\n";

    private ToolTurns() {}

    /** Functions and how to call them, to the end of the system turn. */
    static void heading(PieceList out, List<JsonNode> tools) {
        out.control(OPEN);
        signatures(out, tools);
        out.control(CLOSE);
    }

    static void signatures(PieceList out, List<JsonNode> tools) {
        for (JsonNode tool : tools) {
            out.control("\n").plain(PythonText.json(tool));
        }
    }

    /**
     * One tool's answer; consecutive ones share a turn.
     *
     * @param opens whether the turn begins here
     */
    static void answer(PieceList out, Conversation conversation, int index, MarkedText content, boolean opens) {
        if (opens) {
            out.control(ChatMl.START + "user");
        }
        out.control("\n<tool_response>\n").all(content.pieces()).control("\n</tool_response>");
        if (!conversation.is(index + 1, ChatMessage.Role.TOOL)) {
            out.control(ChatMl.END + "\n");
        }
    }

    static void turn(PieceList out, ChatMessage.Role role, MarkedText content) {
        out.control(ChatMl.START + role.text() + "\n").all(content.pieces()).control(ChatMl.END + "\n");
    }
}
