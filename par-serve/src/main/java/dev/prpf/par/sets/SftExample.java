package dev.prpf.par.sets;

import dev.prpf.par.vision.Picture;
import java.util.List;

/**
 * One supervised pair, as tokens.
 *
 * @param prompt given, never supervised; at least one token
 * @param response learned, its end token included; at least one token
 * @param pictures whose placeholders stand in the prompt, in order; none in one of text
 */
public record SftExample(long[] prompt, long[] response, List<Picture> pictures) {
    public SftExample {
        pictures = List.copyOf(pictures);
        if (prompt.length == 0 || response.length == 0) {
            throw new IllegalArgumentException("an example needs a prompt and a response; they have " + prompt.length
                    + " and " + response.length + " tokens");
        }
    }

    /** Of text. */
    public SftExample(long[] prompt, long[] response) {
        this(prompt, response, List.of());
    }

    /** A response to a prompt. */
    public static SftExample of(PromptExample prompt, long[] response) {
        return new SftExample(prompt.ids(), response, prompt.prompt().images());
    }

    /** Tokens in all. */
    public int length() {
        return prompt.length + response.length;
    }
}
