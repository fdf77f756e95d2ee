package dev.prpf.par.tokenizer;

import dev.prpf.par.chat.ChatTemplates.ChatMl;
import dev.prpf.par.prompt.PromptRenderer.PromptTags;
import dev.prpf.par.response.ResponseGrammar;
import dev.prpf.par.tokenizer.BpeTraining.BpeVocabulary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A tokenizer of bytes and control tokens, for tests. */
public final class SmallTokenizer {
    private SmallTokenizer() {}

    /** Writes the tokenizer to a directory and returns its size; {@code more} control tokens are last. */
    public static int write(Path directory, String... more) {
        List<BpeVocabulary.ControlToken> control = new ArrayList<>();
        List.of(ChatMl.START, ChatMl.END, "<pad>")
                .forEach(text -> control.add(new BpeVocabulary.ControlToken(text, true)));
        PromptTags.all().forEach(text -> control.add(new BpeVocabulary.ControlToken(text, false)));
        ResponseGrammar.tags().forEach(text -> control.add(new BpeVocabulary.ControlToken(text, false)));
        for (String text : more) {
            control.add(new BpeVocabulary.ControlToken(text, false));
        }
        BpeVocabulary vocabulary =
                new BpeTraining(new BpeTraining.Settings(300 + more.length, 2, 6), List.of(), control).train();
        TokenizerFiles.write(directory, vocabulary, ChatMl.TEMPLATE, ChatMl.END, "<pad>", 512);
        return vocabulary.size();
    }
}
