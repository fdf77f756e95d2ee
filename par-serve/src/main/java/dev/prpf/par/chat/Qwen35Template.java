package dev.prpf.par.chat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.chat.ChatTemplate.Conversation;
import dev.prpf.par.chat.ChatTemplate.ToolSyntax;
import dev.prpf.par.chat.ChatTemplates.ChatMl;
import dev.prpf.par.chat.ChatTemplates.Qwen25VlContent;
import dev.prpf.par.tokenizer.Piece.PieceList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Qwen3.5: content may contain images and videos, calls are written as tags, a query is required.
 *
 * @param thinks default of {@code enable_thinking}
 */
record Qwen35Template(boolean thinks) implements QwenTemplate {
    private static final String OPEN = "# Tools\n\nYou have access to the following functions:\n\n<tools>";
    private static final String CLOSE = "\n"
            + "</tools>\n\n"
            + "If you choose to call a function ONLY reply in the following format with NO suffix:\n\n"
            + "<tool_call>\n"
            + "<function=example_function_name>\n"
            + "<parameter=example_parameter_1>\n"
            + "value_1\n"
            + "</parameter>\n"
            + "<parameter=example_parameter_2>\n"
            + "This is the value for the second parameter\n"
            + "that can span\n"
            + "multiple lines\n"
            + "</parameter>\n"
            + "</function>\n"
            + "</tool_call>\n\n"
            + "<IMPORTANT>\n"
            + "Reminder:\n"
            + "- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested"
            + " within <tool_call></tool_call> XML tags\n"
            + "- Required parameters MUST be specified\n"
            + "- You may provide optional reasoning for your function call in natural language BEFORE the function call,"
            + " but NOT after\n"
            + "- If there is no function call available, answer the question like normal with your current knowledge and"
            + " do not tell the user about function calls\n"
            + "</IMPORTANT>";

    @Override
    public ToolSyntax calls() {
        return ToolSyntax.TAGS;
    }

    @Override
    public void system(PieceList out, Conversation conversation) {
        boolean given = conversation.startsWithSystem();
        boolean tools = !conversation.tools().isEmpty();
        if (tools) {
            out.control(OPEN);
            QwenTemplate.signatures(out, conversation.tools());
            out.control(CLOSE);
        }
        if (given) {
            MarkedText content = content(conversation.message(0));
            if (tools && !content.isEmpty()) {
                out.control("\n\n");
            }
            out.all(content.pieces());
        }
        out.control(ChatMl.END + "\n");
    }

    @Override
    public int withoutQuery(Conversation conversation) {
        throw new InvalidDataException(conversation.message(0).place()
                + ": No user query found in messages. (The template's rule: a user message that is no tool's answer.)");
    }

    @Override
    public String opening(@Nullable Boolean thinking) {
        return (thinking == null ? thinks : thinking) ? "<think>\n" : "<think>\n\n</think>\n\n";
    }

    @Override
    public boolean opensWithAnswer() {
        return false;
    }

    @Override
    public void laterSystem(PieceList out, ChatMessage message) {
        throw new InvalidDataException(
                message.place() + ": System message must be at the beginning. (The template's rule.)");
    }

    @Override
    public void assistant(PieceList out, Conversation conversation, int index, boolean afterQuery) {
        ChatMessage message = conversation.message(index);
        ChatMessage.Spoken turn = message.spoken(content(message));
        out.control(ChatMl.START + "assistant\n");
        if (afterQuery) {
            out.control("<think>\n").all(turn.reasoning().strip().pieces()).control("\n</think>\n\n");
        }
        out.all(turn.content().pieces());
        String before = turn.content().strip().isEmpty() ? "" : "\n\n";
        for (ChatMessage.ToolCall call : message.toolCalls()) {
            out.control(before + "<tool_call>\n<function=").plain(call.name()).control(">\n");
            arguments(out, call);
            out.control("</function>\n</tool_call>");
            before = "\n";
        }
        out.control(ChatMl.END + "\n");
    }

    private static void arguments(PieceList out, ChatMessage.ToolCall call) {
        JsonNode arguments = call.arguments();
        if (!arguments.isObject() && !arguments.isMissingNode()) {
            throw new InvalidDataException(call.place() + ": the arguments of " + call.name()
                    + " must be an object for this template, they are " + PythonText.json(arguments));
        }
        arguments.properties().forEach(entry -> {
            JsonNode value = entry.getValue();
            out.control("<parameter=")
                    .plain(entry.getKey())
                    .control(">\n")
                    .plain(value.isContainerNode() ? PythonText.json(value) : PythonText.str(value))
                    .control("\n</parameter>\n");
        });
    }

    /** Returns the content: text, or a list of texts, images and videos, trimmed. */
    @Override
    public MarkedText content(ChatMessage message) {
        JsonNode content = message.content();
        PieceList out = new PieceList();
        if (content.isTextual()) {
            out.all(message.marked().pieces());
        } else if (content.isArray()) {
            content.forEach(part -> part(out, message, part));
        } else if (!content.isNull() && !content.isMissingNode()) {
            throw refused(message, "Unexpected content type.", content);
        }
        return new MarkedText(out.build()).strip();
    }

    private static void part(PieceList out, ChatMessage message, JsonNode part) {
        for (String kind : List.of("image", "video")) {
            if (message.role() == ChatMessage.Role.SYSTEM && Qwen25VlContent.is(part, kind)) {
                throw refused(message, "System message cannot contain " + kind + "s.", part);
            }
        }
        if (!Qwen25VlContent.write(out, part)) {
            throw refused(message, "Unexpected item type in content.", part);
        }
    }

    private static PrpfException refused(ChatMessage message, String rule, JsonNode value) {
        return new InvalidDataException(
                message.place() + ": " + rule + " (The template's rule; the value is " + PythonText.json(value) + ")");
    }
}
