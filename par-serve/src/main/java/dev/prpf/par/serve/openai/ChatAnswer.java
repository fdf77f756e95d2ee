package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.prpf.par.chat.ToolCallReader;
import dev.prpf.par.chat.ToolCallReader.Part;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.ResponseText;
import dev.prpf.par.serve.generation.GenerationStream.Update;
import dev.prpf.par.serve.openai.ChatAnswer.ChatChunk.Choice;
import dev.prpf.par.serve.openai.ChatAnswer.ChatChunk.Delta;
import dev.prpf.par.serve.openai.ChatCompletion.ChatLogprobs;
import dev.prpf.par.serve.openai.ChatCompletion.Usage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One answer of a chat during its generation: takes tokens and returns events once they contain text. */
final class ChatAnswer {
    private final int index;
    private final ResponseText text;
    private final ToolCallReader reader;
    private final ChatCompletionRequest request;
    private final TokenTexts texts;
    private final List<ChatLogprobs.Entry> entries = new ArrayList<>();
    private final List<Long> ids = new ArrayList<>();
    private boolean calls;

    ChatAnswer(int index, ResponseText text, ToolCallReader reader, ChatCompletionRequest request, TokenTexts texts) {
        this.index = index;
        this.text = text;
        this.reader = reader;
        this.request = request;
        this.texts = texts;
    }

    /** Returns the events of new tokens; tokens without complete text are added to the next one. */
    List<Choice> add(Update.Tokens tokens) {
        if (request.top() != null) {
            entries.addAll(ChatLogprobs.entries(
                    tokens, texts, request.generation().view().tokensAsIds()));
        }
        StringBuilder gained = new StringBuilder();
        for (long id : tokens.ids()) {
            ids.add(id);
            gained.append(text.add(id));
        }
        return gained.isEmpty() ? List.of() : choices(reader.append(gained.toString()));
    }

    /** Returns the last events, the last one with the finish reason. */
    List<Choice> end(Generation generation, List<Integer> ownEnd) {
        List<Part> parts = new ArrayList<>(reader.append(text.end()));
        parts.addAll(reader.end());
        List<Choice> choices = choices(parts);
        Finish finish = Finish.of(generation, text.stop(), ownEnd);
        boolean whole =
                finish.reason().equals(Finish.STOP) && finish.stopReason() == null; // else a call may be incomplete
        choices.add(choice(
                choices.isEmpty(),
                Delta.NOTHING,
                calls && whole ? new Finish("tool_calls", finish.stopReason()) : finish));
        return choices;
    }

    /** Returns an event for each part. Without parallel calls only the first call counts, as in vLLM. */
    private List<Choice> choices(List<Part> parts) {
        List<Choice> choices = new ArrayList<>();
        for (Part part : parts) {
            if (!(part instanceof Part.Call call)
                    || call.index() == 0
                    || request.tools().parallel()) {
                calls |= part instanceof Part.Call;
                choices.add(choice(choices.isEmpty(), Delta.of(part), null));
            }
        }
        return choices;
    }

    /** @param first whether log-probabilities and ids go with this event */
    private Choice choice(boolean first, Delta delta, @Nullable Finish finish) {
        Choice choice = new Choice(
                index,
                delta,
                first && request.top() != null ? new ChatLogprobs(List.copyOf(entries)) : null,
                finish == null ? null : finish.reason(),
                finish == null ? null : finish.stopReason(),
                first && request.generation().view().tokenIds() ? List.copyOf(ids) : null);
        if (first) {
            entries.clear();
            ids.clear();
        }
        return choice;
    }

    /** Returns the ids of a prompt in the format of answers. */
    static List<Long> list(long[] ids) {
        return Arrays.stream(ids).boxed().toList();
    }

    record ChatChunk(
            String id,
            String object,
            long created,
            String model,
            List<Choice> choices,
            @JsonInclude(Include.NON_NULL) @Nullable Usage usage,
            @JsonInclude(Include.NON_NULL) @Nullable List<Long> promptTokenIds) {

        record Choice(
                int index,
                Delta delta,
                @Nullable ChatLogprobs logprobs,
                @Nullable String finishReason,
                @JsonInclude(Include.NON_NULL) @Nullable Object stopReason,
                @JsonInclude(Include.NON_NULL) @Nullable List<Long> tokenIds) {}

        @JsonInclude(Include.NON_NULL)
        record Delta(
                @Nullable String role,
                @Nullable String content,
                @Nullable String reasoning,
                @Nullable List<ChatCompletion.ToolCall> toolCalls) {
            static final Delta NOTHING = new Delta(null, null, null, null);

            /** Returns the first delta of every answer. */
            static Delta begin() {
                return new Delta("assistant", "", null, null);
            }

            static Delta of(Part part) {
                if (part instanceof Part.Content said) {
                    return new Delta(null, said.text(), null, null);
                }
                if (part instanceof Part.Reasoning thought) {
                    return new Delta(null, null, thought.text(), null);
                }
                Part.Call call = (Part.Call) part;
                boolean first = call.name() != null;
                return new Delta(
                        null,
                        null,
                        null,
                        List.of(new ChatCompletion.ToolCall(
                                call.index(),
                                first ? "call_" + UUID.randomUUID().toString().replace("-", "") : null,
                                first ? "function" : null,
                                new ChatCompletion.Function(call.name(), call.arguments()))));
            }
        }
    }
}
