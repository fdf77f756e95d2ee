package dev.prpf.par.serve.openai;

import dev.prpf.par.serve.openai.ChatCompletion.ToolCall;
import dev.prpf.par.serve.openai.answer.AnswerForms.AnswerDelta;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Joins the parts of one chat answer to its complete message. */
final class ChatMessageBuilder {
    private final StringBuilder content = new StringBuilder();
    private final StringBuilder reasoning = new StringBuilder();
    private final Map<Integer, Call> calls = new TreeMap<>();
    private final List<ChatLogprobs.Entry> entries = new ArrayList<>();
    private final List<Long> ids = new ArrayList<>();

    private record Call(@Nullable String id, @Nullable String name, StringBuilder arguments) {}

    void add(ChatUpdate part) {
        part.deltas().forEach(this::add);
        if (part.logprobs() != null) {
            entries.addAll(part.logprobs().content());
        }
        if (part.tokenIds() != null) {
            ids.addAll(part.tokenIds());
        }
    }

    private void add(AnswerDelta delta) {
        if (delta instanceof AnswerDelta.Content said) {
            content.append(said.text());
        } else if (delta instanceof AnswerDelta.Reasoning thought) {
            reasoning.append(thought.text());
        } else if (delta instanceof AnswerDelta.ToolCall call) {
            calls.computeIfAbsent(call.index(), first -> new Call(call.id(), call.name(), new StringBuilder()))
                    .arguments()
                    .append(call.arguments());
        }
    }

    /** Returns the answer with this index of a request. */
    ChatCompletion.Choice choice(int index, ChatCompletionRequest request, Finish finish) {
        return new ChatCompletion.Choice(
                index,
                message(),
                request.top() == null ? null : new ChatLogprobs(entries),
                finish.reason(),
                finish.stopReason(),
                request.generation().view().tokenIds() ? ids : null);
    }

    private ChatCompletion.Message message() {
        List<ToolCall> made = calls.values().stream()
                .map(call -> new ToolCall(
                        null,
                        call.id(),
                        "function",
                        new ChatCompletion.Function(
                                call.name(), call.arguments().toString())))
                .toList();
        return new ChatCompletion.Message(
                "assistant",
                content.isEmpty() && !made.isEmpty() ? null : content.toString(),
                null,
                reasoning.isEmpty() ? null : reasoning.toString(),
                made.isEmpty() ? null : made);
    }

    /**
     * The new part of a chat's answer after one decoding step.
     *
     * @param deltas the new pieces; may be empty
     * @param logprobs of its tokens; null if not requested
     * @param tokenIds of its tokens; null if not requested
     */
    record ChatUpdate(List<AnswerDelta> deltas, @Nullable ChatLogprobs logprobs, @Nullable List<Long> tokenIds) {}
}
