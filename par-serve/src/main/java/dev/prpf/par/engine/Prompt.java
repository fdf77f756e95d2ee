package dev.prpf.par.engine;

/**
 * Tokens that a decoder continues, with the features of the images among them.
 *
 * @param ids at least one; a placeholder for each token of an image
 * @param pictures features in the places of the placeholders
 */
public record Prompt(long[] ids, PictureInputs pictures) {
    /** Makes a prompt of text only. */
    public static Prompt ofText(long... ids) {
        return new Prompt(ids, PictureInputs.NONE);
    }

    /** Returns the tokens with a negative number in place of each placeholder, as {@link PictureInputs#keyed}. */
    public long[] keyed() {
        return pictures.keyed(ids);
    }

    /** Returns the number of tokens. */
    public int length() {
        return ids.length;
    }
}
