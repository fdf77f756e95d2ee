package dev.prpf.par.chat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.tokenizer.PieceList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the Qwen templates have in common: turns in order, tools' answers gathered in one user turn, and the functions' heading of Qwen2.5 and Qwen3. */
sealed interface QwenTemplate permits Qwen25Template, Qwen3Template, Qwen35Template {
    String OPEN = "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
            + "You are provided with function signatures within <tools></tools> XML tags:\n<tools>";
    String CLOSE = "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
            + "<tool_call></tool_call> XML tags:\n<tool_call>\n"
            + "{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>"
            + ChatMl.END + "\n";

    /** The template; Qwen2.5 has no switch for thinking. */
    default ChatTemplate named(String name, boolean takesThinking) {
        return ChatTemplate.chatMl(name, calls(), takesThinking, this::write);
    }

    /** How calls are written. */
    default ToolSyntax calls() {
        return ToolSyntax.JSON;
    }

    private void write(PieceList out, Conversation conversation) {
        if (hasSystem(conversation)) {
            out.control(ChatMl.START + "system\n");
            system(out, conversation);
        }
        int lastQuery = lastQuery(conversation);
        for (int i = conversation.startsWithSystem() ? 1 : 0; i < conversation.size(); i++) {
            message(out, conversation, i, lastQuery);
        }
        if (conversation.generationPrompt()) {
            out.control(ChatMl.START + "assistant\n" + opening(conversation.thinking()));
        }
    }

    private void message(PieceList out, Conversation conversation, int index, int lastQuery) {
        ChatMessage message = conversation.message(index);
        switch (message.role()) {
            case SYSTEM -> laterSystem(out, message);
            case USER -> turn(out, message.role(), content(message));
            case ASSISTANT -> assistant(out, conversation, index, index > lastQuery);
            case TOOL -> answer(out, conversation, index);
        }
    }

    /** Whether there is a system turn. */
    default boolean hasSystem(Conversation conversation) {
        return conversation.startsWithSystem() || !conversation.tools().isEmpty();
    }

    /** What follows the mark of the system turn: the first message, the functions, and the turn's end. */
    void system(PieceList out, Conversation conversation);

    /** A message's content as it is written. */
    MarkedText content(ChatMessage message);

    /** Whether a user message is a query and not a tool's answer that somebody wrapped by hand. */
    default boolean isQuery(ChatMessage message) {
        return !content(message).isToolResponse();
    }

    /** What the index of the last query is where there is none. */
    default int withoutQuery(Conversation conversation) {
        return conversation.size() - 1;
    }

    private int lastQuery(Conversation conversation) {
        for (int i = conversation.size() - 1; i >= 0; i--) {
            if (conversation.is(i, ChatMessage.Role.USER) && isQuery(conversation.message(i))) {
                return i;
            }
        }
        return withoutQuery(conversation);
    }

    /** A system message that is not the first. */
    default void laterSystem(PieceList out, ChatMessage message) {
        turn(out, message.role(), content(message));
    }

    /** @param afterQuery whether the turn comes after the last query */
    void assistant(PieceList out, Conversation conversation, int index, boolean afterQuery);

    /** What the assistant's next turn begins with. */
    String opening(@Nullable Boolean thinking);

    /** Whether a tool's answer that stands first opens a turn. */
    default boolean opensWithAnswer() {
        return true;
    }

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

    /** One tool's answer; consecutive ones share a turn. */
    private void answer(PieceList out, Conversation conversation, int index) {
        boolean opens = index == 0 ? opensWithAnswer() : !conversation.is(index - 1, ChatMessage.Role.TOOL);
        if (opens) {
            out.control(ChatMl.START + "user");
        }
        MarkedText content = content(conversation.message(index));
        out.control("\n<tool_response>\n").all(content.pieces()).control("\n</tool_response>");
        if (!conversation.is(index + 1, ChatMessage.Role.TOOL)) {
            out.control(ChatMl.END + "\n");
        }
    }

    static void turn(PieceList out, ChatMessage.Role role, MarkedText content) {
        out.control(ChatMl.START + role.text() + "\n").all(content.pieces()).control(ChatMl.END + "\n");
    }
}
