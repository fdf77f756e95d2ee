package dev.prpf.par.serve.openai;

import dev.prpf.par.generate.Generation.TopLogprobs;
import dev.prpf.par.serve.generation.GenerationStream.Update;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Log-probabilities in the format of chats. */
record ChatLogprobs(List<Entry> content) {
    /** A generated token, and the likeliest tokens at its position. */
    record Entry(String token, float logprob, int @Nullable [] bytes, List<Alternative> topLogprobs) {}

    record Alternative(String token, float logprob, int @Nullable [] bytes) {}

    static List<Entry> entries(Update.Tokens tokens, TokenTexts texts, boolean asIds) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < tokens.ids().length; i++) {
            List<Alternative> top = tokens.top().isEmpty()
                    ? List.of()
                    : alternatives(tokens.top().get(i), texts, asIds);
            long id = tokens.ids()[i];
            entries.add(new Entry(name(id, texts, asIds), tokens.logProbabilities()[i], texts.bytes(id), top));
        }
        return entries;
    }

    private static List<Alternative> alternatives(TopLogprobs top, TokenTexts texts, boolean asIds) {
        return IntStream.range(0, top.ids().length)
                .mapToObj(i -> new Alternative(
                        name(top.ids()[i], texts, asIds), top.logProbabilities()[i], texts.bytes(top.ids()[i])))
                .toList();
    }

    private static String name(long id, TokenTexts texts, boolean asIds) {
        return asIds ? TokenTexts.asId(id) : texts.text(id);
    }
}
