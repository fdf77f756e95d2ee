package dev.prpf.par.chat;

import dev.prpf.par.chat.ChatTemplate.ToolSyntax;
import dev.prpf.par.chat.ToolCallReader.Part;
import dev.prpf.par.chat.ToolCallReader.Thinking;
import dev.prpf.par.chat.ToolCallReader.Tool;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The joined parts of one response.
 *
 * @param reasoning null without reasoning
 * @param content null without content
 */
public record JoinedAnswer(@Nullable String reasoning, @Nullable String content, List<Part.Call> calls) {
    public JoinedAnswer {
        calls = List.copyOf(calls);
    }

    /** Reads a complete response. */
    public static JoinedAnswer read(Thinking thinking, ToolSyntax syntax, List<Tool> tools, String text) {
        ToolCallReader reader = new ToolCallReader(thinking, syntax, tools);
        List<Part> parts = new ArrayList<>(reader.append(text));
        parts.addAll(reader.end());
        return of(parts);
    }

    static JoinedAnswer of(List<Part> parts) {
        String reasoning = parts.stream()
                .map(part -> part instanceof Part.Reasoning thought ? thought.text() : "")
                .collect(Collectors.joining());
        String content = parts.stream()
                .map(part -> part instanceof Part.Content said ? said.text() : "")
                .collect(Collectors.joining());
        Map<Integer, Part.Call> calls = parts.stream()
                .filter(Part.Call.class::isInstance)
                .map(Part.Call.class::cast)
                .collect(Collectors.toMap(Part.Call::index, call -> call, JoinedAnswer::joined, TreeMap::new));
        return new JoinedAnswer(
                reasoning.isEmpty() ? null : reasoning,
                content.isEmpty() ? null : content,
                List.copyOf(calls.values()));
    }

    private static Part.Call joined(Part.Call call, Part.Call more) {
        return new Part.Call(call.index(), call.name(), call.arguments() + more.arguments());
    }
}
