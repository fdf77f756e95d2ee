package dev.prpf.par.response;

import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.tokenizer.Tokenizer;

/**
 * A response generated in this process: its tokens as text, parsed for prediction and reward.
 *
 * @param text of the tokens, without the end token
 * @param parsed the text, parsed in the required form
 * @param finish reason for the end
 * @param length number of tokens, including the end token
 */
public record GeneratedResponse(String text, ParResponse parsed, FinishReason finish, int length) {
    /** Decodes and parses a generation with the model's tokenizer. */
    public static GeneratedResponse of(Generation generation, Tokenizer tokenizer, ResponseForm form) {
        String text = tokenizer.decode(generation.withoutEndToken());
        return new GeneratedResponse(
                text, ResponseParser.parse(text, form), generation.finish(), generation.ids().length);
    }
}
