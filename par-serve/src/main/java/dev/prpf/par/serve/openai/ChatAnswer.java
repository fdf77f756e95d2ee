package dev.prpf.par.serve.openai;

import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.ResponseText;
import dev.prpf.par.serve.generation.GenerationStream.Update;
import dev.prpf.par.serve.openai.ChatMessageBuilder.ChatUpdate;
import dev.prpf.par.serve.openai.answer.AnswerForms.AnswerDelta;
import dev.prpf.par.serve.openai.answer.AnswerForms.AnswerReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One answer of a chat during its generation: takes tokens and returns parts once they contain text. */
final class ChatAnswer {
    private final ResponseText text;
    private final AnswerReader reader;
    private final ChatCompletionRequest request;
    private final TokenTexts texts;
    private final List<ChatLogprobs.Entry> entries = new ArrayList<>();
    private final List<Long> ids = new ArrayList<>();
    private boolean calls;

    ChatAnswer(ResponseText text, AnswerReader reader, ChatCompletionRequest request, TokenTexts texts) {
        this.text = text;
        this.reader = reader;
        this.request = request;
        this.texts = texts;
    }

    /** Returns the part for new tokens; tokens without complete text are added to the next part. */
    ChatUpdate add(Update.Tokens tokens) {
        if (request.top() != null) {
            entries.addAll(ChatLogprobs.entries(
                    tokens, texts, request.generation().view().tokensAsIds()));
        }
        StringBuilder gained = new StringBuilder();
        for (long id : tokens.ids()) {
            ids.add(id);
            gained.append(text.add(id));
        }
        List<AnswerDelta> deltas = gained.isEmpty() ? List.of() : reader.read(gained.toString());
        return deltas.isEmpty() ? new ChatUpdate(List.of(), null, null) : part(deltas);
    }

    ChatUpdate end() {
        List<AnswerDelta> deltas = new ArrayList<>(reader.read(text.end()));
        deltas.addAll(reader.end());
        return part(deltas);
    }

    /** Returns the finish reason. Call after {@link #end}. */
    Finish finish(Generation generation, List<Integer> ownEnd) {
        Finish finish = Finish.of(generation, text.stop(), ownEnd);
        boolean whole =
                finish.reason().equals(Finish.STOP) && finish.stopReason() == null; // else a call may be incomplete
        return calls && whole ? new Finish("tool_calls", finish.stopReason()) : finish;
    }

    private ChatUpdate part(List<AnswerDelta> deltas) {
        calls |= deltas.stream().anyMatch(AnswerDelta.ToolCall.class::isInstance);
        ChatUpdate part = new ChatUpdate(
                List.copyOf(deltas),
                request.top() == null ? null : new ChatLogprobs(List.copyOf(entries)),
                request.generation().view().tokenIds() ? List.copyOf(ids) : null);
        entries.clear();
        ids.clear();
        return part;
    }

    /** Returns the ids of a prompt in the format of answers. */
    static List<Long> list(long[] ids) {
        return Arrays.stream(ids).boxed().toList();
    }
}
