package dev.prpf.par.chat;

import dev.prpf.par.chat.ChatTemplate.Conversation;
import dev.prpf.par.chat.ChatTemplates.ChatMl;
import dev.prpf.par.tokenizer.Piece.PieceList;
import org.jspecify.annotations.Nullable;

/**
 * Qwen3: keeps reasoning only in the turns after the last query, writes calls as JSON.
 *
 * @param textOnly whether content must be text: the hub's revision; the later one renders a list or null as empty
 */
record Qwen3Template(boolean textOnly) implements QwenTemplate {
    @Override
    public void system(PieceList out, Conversation conversation) {
        boolean given = conversation.startsWithSystem();
        boolean tools = !conversation.tools().isEmpty();
        if (given) {
            out.all(conversation.message(0).marked().pieces()).control(tools ? "\n\n" : ChatMl.END + "\n");
        }
        if (tools) {
            QwenTemplate.heading(out, conversation.tools());
        }
    }

    @Override
    public boolean isQuery(ChatMessage message) {
        return (textOnly || message.content().isTextual()) && !message.marked().isToolResponse();
    }

    @Override
    public String opening(@Nullable Boolean thinking) {
        return Boolean.FALSE.equals(thinking) ? "<think>\n\n</think>\n\n" : "";
    }

    @Override
    public MarkedText content(ChatMessage message) {
        if (textOnly && message.role() == ChatMessage.Role.TOOL) {
            return MarkedText.plain(message.printed());
        }
        return textOnly || message.content().isTextual() ? message.marked() : MarkedText.plain("");
    }

    @Override
    public void assistant(PieceList out, Conversation conversation, int index, boolean afterQuery) {
        ChatMessage message = conversation.message(index);
        ChatMessage.Spoken turn = message.spoken(content(message));
        out.control(ChatMl.START + "assistant\n");
        if (afterQuery && (conversation.isLast(index) || !turn.reasoning().isEmpty())) {
            out.control("<think>\n")
                    .all(turn.reasoning().stripNewlines().pieces())
                    .control("\n</think>\n\n")
                    .all(turn.content().stripLeadingNewlines().pieces());
        } else {
            out.all(turn.content().pieces());
        }
        String before = turn.content().isEmpty() ? "" : "\n";
        for (ChatMessage.ToolCall call : message.toolCalls()) {
            boolean written = call.arguments().isTextual();
            call.open(out, before)
                    .plain(written ? call.arguments().asText() : call.argumentsJson())
                    .control("}\n</tool_call>");
            before = "\n";
        }
        out.control(ChatMl.END + "\n");
    }
}
