package dev.prpf.par.command;

import dev.prpf.par.prompt.ChatMl;
import dev.prpf.par.prompt.PromptTags;
import dev.prpf.par.response.ResponseGrammar;
import dev.prpf.par.tokenizer.BpeVocabulary.ControlToken;
import java.util.ArrayList;
import java.util.List;

/** The control tokens of the tokenizers made here: turn markers, which decoders may drop, and field markers and tags, which are said. */
final class ControlTokens {
    static final String END_OF_TEXT = "<|endoftext|>";
    static final String PADDING = "<pad>";

    private ControlTokens() {}

    static List<ControlToken> all() {
        List<ControlToken> tokens = new ArrayList<>();
        List.of(END_OF_TEXT, ChatMl.START, ChatMl.END, PADDING)
                .forEach(text -> tokens.add(new ControlToken(text, true)));
        PromptTags.all().forEach(text -> tokens.add(new ControlToken(text, false)));
        ResponseGrammar.tags().forEach(text -> tokens.add(new ControlToken(text, false)));
        return tokens;
    }
}
