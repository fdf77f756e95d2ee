package dev.prpf.par.chat;

import dev.prpf.par.prompt.ChatMl;
import dev.prpf.par.prompt.PieceList;

/** Qwen2.5: a system message of its own where there is none, calls as JSON. */
final class Qwen25Template {
    private static final String SYSTEM = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.";

    private Qwen25Template() {}

    static ChatTemplate template() {
        return new ChatTemplate("qwen2.5", true, false, Qwen25Template::write);
    }

    private static void write(PieceList out, Conversation conversation) {
        system(out, conversation);
        for (int i = 0; i < conversation.size(); i++) {
            message(out, conversation, i);
        }
        if (conversation.generationPrompt()) {
            out.control(ChatMl.START + "assistant\n");
        }
    }

    private static void system(PieceList out, Conversation conversation) {
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
            ToolTurns.heading(out, conversation.tools());
        } else {
            out.control(ChatMl.END + "\n");
        }
    }

    private static void message(PieceList out, Conversation conversation, int index) {
        ChatMessage message = conversation.message(index);
        switch (message.role()) {
            case SYSTEM -> {
                if (index > 0) {
                    ToolTurns.turn(out, message.role(), MarkedText.plain(message.text()));
                }
            }
            case USER -> ToolTurns.turn(out, message.role(), MarkedText.plain(message.text()));
            case ASSISTANT -> assistant(out, message);
            case TOOL ->
                ToolTurns.answer(
                        out,
                        conversation,
                        index,
                        MarkedText.plain(message.printed()),
                        !conversation.is(index - 1, ChatMessage.Role.TOOL));
        }
    }

    private static void assistant(PieceList out, ChatMessage message) {
        if (message.toolCalls().isEmpty()) {
            ToolTurns.turn(out, message.role(), MarkedText.plain(message.text()));
            return;
        }
        out.control(ChatMl.START + "assistant");
        if (message.hasContent()) {
            out.control("\n").plain(message.text());
        }
        for (ChatMessage.ToolCall call : message.toolCalls()) {
            call.open(out.control("\n")).plain(call.argumentsJson()).control("}\n</tool_call>");
        }
        out.control(ChatMl.END + "\n");
    }
}
