package dev.prpf.par.chat;

import dev.prpf.par.prompt.ChatMl;
import dev.prpf.par.prompt.PieceList;
import java.util.List;

/**
 * Qwen3: thinking is kept in the turns after the last query only, calls are JSON.
 *
 * @param textOnly whether content must be text: the hub's revision; the later one renders a list or null as empty
 */
record Qwen3Template(boolean textOnly) {
    static ChatTemplate template(String revision, boolean textOnly) {
        return new ChatTemplate(revision, true, true, new Qwen3Template(textOnly)::write);
    }

    private void write(PieceList out, Conversation conversation) {
        system(out, conversation);
        int lastQuery = lastQuery(conversation);
        for (int i = 0; i < conversation.size(); i++) {
            message(out, conversation, i, lastQuery);
        }
        if (conversation.generationPrompt()) {
            boolean silent = Boolean.FALSE.equals(conversation.thinking());
            out.control(ChatMl.START + "assistant\n" + (silent ? "<think>\n\n</think>\n\n" : ""));
        }
    }

    private static void system(PieceList out, Conversation conversation) {
        boolean given = conversation.startsWithSystem();
        boolean tools = !conversation.tools().isEmpty();
        if (!given && !tools) {
            return;
        }
        out.control(ChatMl.START + "system\n");
        if (given) {
            out.plain(conversation.message(0).text()).control(tools ? "\n\n" : ChatMl.END + "\n");
        }
        if (tools) {
            ToolTurns.heading(out, conversation.tools());
        }
    }

    /** The last user message that is no wrapped tool's answer; the last message of all if there is none. */
    private int lastQuery(Conversation conversation) {
        for (int i = conversation.size() - 1; i >= 0; i--) {
            ChatMessage message = conversation.message(i);
            if (message.role() == ChatMessage.Role.USER
                    && (textOnly || message.content().isTextual())
                    && !MarkedText.plain(message.text()).isToolResponse()) {
                return i;
            }
        }
        return conversation.size() - 1;
    }

    private MarkedText content(ChatMessage message) {
        if (textOnly && message.role() == ChatMessage.Role.TOOL) {
            return MarkedText.plain(message.printed());
        }
        return MarkedText.plain(textOnly || message.content().isTextual() ? message.text() : "");
    }

    private void message(PieceList out, Conversation conversation, int index, int lastQuery) {
        ChatMessage message = conversation.message(index);
        switch (message.role()) {
            case SYSTEM -> {
                if (index > 0) {
                    ToolTurns.turn(out, message.role(), content(message));
                }
            }
            case USER -> ToolTurns.turn(out, message.role(), content(message));
            case ASSISTANT -> {
                ChatMessage.Spoken turn = message.spoken(content(message));
                boolean thought = index > lastQuery
                        && (conversation.isLast(index) || !turn.reasoning().isEmpty());
                assistant(out, turn, thought);
                calls(out, message.toolCalls(), !turn.content().isEmpty());
                out.control(ChatMl.END + "\n");
            }
            case TOOL ->
                ToolTurns.answer(
                        out, conversation, index, content(message), !conversation.is(index - 1, ChatMessage.Role.TOOL));
        }
    }

    private static void assistant(PieceList out, ChatMessage.Spoken turn, boolean thought) {
        out.control(ChatMl.START + "assistant\n");
        if (thought) {
            out.control("<think>\n")
                    .all(turn.reasoning().stripNewlines().pieces())
                    .control("\n</think>\n\n")
                    .all(turn.content().stripLeadingNewlines().pieces());
        } else {
            out.all(turn.content().pieces());
        }
    }

    private static void calls(PieceList out, List<ChatMessage.ToolCall> calls, boolean afterContent) {
        boolean newline = afterContent;
        for (ChatMessage.ToolCall call : calls) {
            if (newline) {
                out.control("\n");
            }
            boolean written = call.arguments().isTextual();
            call.open(out)
                    .plain(written ? call.arguments().asText() : call.argumentsJson())
                    .control("}\n</tool_call>");
            newline = true;
        }
    }
}
