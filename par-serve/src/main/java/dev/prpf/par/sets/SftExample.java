package dev.prpf.par.sets;

/**
 * One supervised pair, as tokens.
 *
 * @param prompt given, never supervised; at least one token
 * @param response learned, its end token included; at least one token
 */
public record SftExample(long[] prompt, long[] response) {
    public SftExample {
        if (prompt.length == 0 || response.length == 0) {
            throw new IllegalArgumentException("an example needs a prompt and a response; they have " + prompt.length
                    + " and " + response.length + " tokens");
        }
    }

    /** Tokens in all. */
    public int length() {
        return prompt.length + response.length;
    }
}
