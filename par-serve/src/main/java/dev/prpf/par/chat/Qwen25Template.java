package dev.prpf.par.chat;

import dev.prpf.par.prompt.ChatMl;
import dev.prpf.par.prompt.PieceList;
import org.jspecify.annotations.Nullable;

/** Qwen2.5: a system message of its own where there is none, calls as JSON. */
final class Qwen25Template extends QwenTemplate {
    private static final String SYSTEM = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.";

    @Override
    void system(PieceList out, Conversation conversation) {
        boolean tools = !conversation.tools().isEmpty();
        out.control(ChatMl.START + "system\n");
        if (conversation.startsWithSystem()) {
            ChatMessage first = conversation.message(0);
            out.plain(tools ? first.printed() : first.text());
        } else {
            out.control(SYSTEM);
        }
        if (tools) {
            out.control("\n\n");
            heading(out, conversation.tools());
        } else {
            out.control(ChatMl.END + "\n");
        }
    }

    @Override
    MarkedText content(ChatMessage message) {
        return MarkedText.plain(message.role() == ChatMessage.Role.TOOL ? message.printed() : message.text());
    }

    @Override
    boolean isQuery(ChatMessage message) {
        return true;
    }

    @Override
    String opening(@Nullable Boolean thinking) {
        return "";
    }

    @Override
    void assistant(PieceList out, Conversation conversation, int index, boolean afterQuery) {
        ChatMessage message = conversation.message(index);
        if (message.toolCalls().isEmpty()) {
            turn(out, message.role(), content(message));
            return;
        }
        out.control(ChatMl.START + "assistant");
        if (message.hasContent()) {
            out.control("\n").plain(message.text());
        }
        for (ChatMessage.ToolCall call : message.toolCalls()) {
            call.open(out, "\n").plain(call.argumentsJson()).control("}\n</tool_call>");
        }
        out.control(ChatMl.END + "\n");
    }
}
