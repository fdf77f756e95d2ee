package dev.prpf.par.chat;

import dev.prpf.par.chat.ChatTemplate.Conversation;
import dev.prpf.par.chat.ChatTemplates.ChatMl;
import dev.prpf.par.tokenizer.Piece.PieceList;
import org.jspecify.annotations.Nullable;

/** Qwen2.5: adds a default system message if there is no other, writes calls as JSON. */
record Qwen25Template() implements QwenTemplate {
    private static final String SYSTEM = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.";

    @Override
    public boolean hasSystem(Conversation conversation) {
        return true;
    }

    @Override
    public void system(PieceList out, Conversation conversation) {
        boolean tools = !conversation.tools().isEmpty();
        if (conversation.startsWithSystem()) {
            ChatMessage first = conversation.message(0);
            out.all((tools ? MarkedText.plain(first.printed()) : first.marked()).pieces());
        } else {
            out.control(SYSTEM);
        }
        if (tools) {
            out.control("\n\n");
            QwenTemplate.heading(out, conversation.tools());
        } else {
            out.control(ChatMl.END + "\n");
        }
    }

    @Override
    public MarkedText content(ChatMessage message) {
        return message.role() == ChatMessage.Role.TOOL ? MarkedText.plain(message.printed()) : message.marked();
    }

    @Override
    public boolean isQuery(ChatMessage message) {
        return true;
    }

    @Override
    public String opening(@Nullable Boolean thinking) {
        return "";
    }

    @Override
    public void assistant(PieceList out, Conversation conversation, int index, boolean afterQuery) {
        ChatMessage message = conversation.message(index);
        if (message.toolCalls().isEmpty()) {
            QwenTemplate.turn(out, message.role(), content(message));
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
