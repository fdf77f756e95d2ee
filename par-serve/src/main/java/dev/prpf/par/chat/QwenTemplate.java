package dev.prpf.par.chat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.chat.ChatTemplate.Conversation;
import dev.prpf.par.chat.ChatTemplate.ToolSyntax;
import dev.prpf.par.chat.ChatTemplates.ChatMl;
import dev.prpf.par.tokenizer.Piece.PieceList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The common parts of the Qwen templates: turns in order, tool responses grouped in one user turn, and the functions' heading of Qwen2.5 and Qwen3.
 */
sealed interface QwenTemplate permits Qwen25Template, Qwen3Template, Qwen35Template {
    String OPEN = "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
            + "You are provided with function signatures within <tools></tools> XML tags:\n<tools>";
    String CLOSE = "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
            + "<tool_call></tool_call> XML tags:\n<tool_call>\n"
            + "{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>"
            + ChatMl.END + "\n";

    /** Creates the named template; Qwen2.5 has no switch for reasoning. */
    default ChatTemplate named(String name, boolean takesThinking) {
        return ChatTemplate.chatMl(name, calls(), takesThinking, this::write);
    }

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

    /** Returns whether there is a system turn. */
    default boolean hasSystem(Conversation conversation) {
        return conversation.startsWithSystem() || !conversation.tools().isEmpty();
    }

    /** Writes the system turn after its start: the first message, the functions, and the turn's end. */
    void system(PieceList out, Conversation conversation);

    /** Returns a message's content in the template's form. */
    MarkedText content(ChatMessage message);

    /** Returns whether a user message is a query, not a manually wrapped tool response. */
    default boolean isQuery(ChatMessage message) {
        return !content(message).isToolResponse();
    }

    /** Returns the index that counts as the last query if no message is one. */
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

    /** Writes a system message that is not the first message. */
    default void laterSystem(PieceList out, ChatMessage message) {
        turn(out, message.role(), content(message));
    }

    /** @param afterQuery whether the turn comes after the last query */
    void assistant(PieceList out, Conversation conversation, int index, boolean afterQuery);

    /** Returns the beginning of the assistant's next turn. */
    String opening(@Nullable Boolean thinking);

    /** Returns whether a tool response as first message opens a turn. */
    default boolean opensWithAnswer() {
        return true;
    }

    /** Writes the functions and how to call them, to the end of the system turn. */
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

    /** Writes one tool response; consecutive ones share a turn. */
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
