package dev.prpf.par.response;

import dev.prpf.par.generate.FinishReason;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.tokenizer.Tokenizer;

/**
 * A response that a model in this process wrote: the one way from its tokens to what is predicted and rewarded.
 *
 * @param text of the tokens, without the end token
 * @param parsed the text, read in the form that was asked for
 * @param finish why it ended
 * @param length its tokens, the end token among them
 */
public record GeneratedResponse(String text, ParResponse parsed, FinishReason finish, int length) {
    /** Reads what was generated; the tokenizer is the model's. */
    public static GeneratedResponse of(Generation generation, Tokenizer tokenizer, ResponseForm form) {
        String text = tokenizer.decode(generation.withoutEndToken());
        return new GeneratedResponse(
                text, ResponseParser.parse(text, form), generation.finish(), generation.ids().length);
    }
}
