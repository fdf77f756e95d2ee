package dev.prpf.par.serve.openai;

import dev.prpf.par.serve.openai.ChatCompletion.ToolCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Joins the events of one chat answer to its complete message. */
final class ChatMessageBuilder {
    private final StringBuilder content = new StringBuilder();
    private final StringBuilder reasoning = new StringBuilder();
    private final Map<Integer, ToolCall> calls = new TreeMap<>();
    private final List<ChatLogprobs.Entry> entries = new ArrayList<>();
    private final List<Long> ids = new ArrayList<>();
    private ChatChunk.@Nullable Choice last;

    void add(ChatChunk.Choice part) {
        content.append(Objects.requireNonNullElse(part.delta().content(), ""));
        reasoning.append(Objects.requireNonNullElse(part.delta().reasoning(), ""));
        for (ToolCall call : Objects.requireNonNullElse(part.delta().toolCalls(), List.<ToolCall>of())) {
            calls.merge(Objects.requireNonNull(call.index()), call, ToolCall::plus);
        }
        if (part.logprobs() != null) {
            entries.addAll(part.logprobs().content());
        }
        if (part.tokenIds() != null) {
            ids.addAll(part.tokenIds());
        }
        last = part;
    }

    /** Returns the answer, after its last event. */
    ChatCompletion.Choice choice(ChatCompletionRequest request) {
        ChatChunk.Choice end = Objects.requireNonNull(last);
        return new ChatCompletion.Choice(
                end.index(),
                message(),
                request.top() == null ? null : new ChatLogprobs(entries),
                Objects.requireNonNull(end.finishReason()),
                end.stopReason(),
                request.generation().view().tokenIds() ? ids : null);
    }

    private ChatCompletion.Message message() {
        List<ToolCall> made = calls.values().stream()
                .map(call -> new ToolCall(null, call.id(), call.type(), call.function()))
                .toList();
        return new ChatCompletion.Message(
                "assistant",
                content.isEmpty() && !made.isEmpty() ? null : content.toString(),
                null,
                reasoning.isEmpty() ? null : reasoning.toString(),
                made.isEmpty() ? null : made);
    }
}
