package dev.prpf.par.engine;

/**
 * Tokens that a decoder continues, with the features of the images among them.
 *
 * @param ids at least one; a placeholder for each token of an image
 * @param images features in the places of the placeholders
 */
public record Prompt(long[] ids, ImageInputs images) {
    /** Makes a prompt of text only. */
    public static Prompt ofText(long... ids) {
        return new Prompt(ids, ImageInputs.NONE);
    }

    /** Returns the tokens with a negative number in place of each placeholder, as {@link ImageInputs#keyed}. */
    public long[] keyed() {
        return images.keyed(ids);
    }

    public int length() {
        return ids.length;
    }
}
