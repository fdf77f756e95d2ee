package dev.prpf.par.generate;

import dev.prpf.par.engine.PictureInputs;

/**
 * What a sequence continues.
 *
 * @param ids tokens, at least one; those of pictures are placeholders
 * @param pictures what stands in their places
 */
record Prompt(long[] ids, PictureInputs pictures) {
    static Prompt ofText(long[] ids) {
        return new Prompt(ids, PictureInputs.none(ids.length));
    }

    /**
     * The tokens as caches and guesses tell them apart: a placeholder is a negative number that its picture and its place in it decide.
     *
     * @return as many as the prompt has
     */
    long[] keyed() {
        return pictures.keyed(ids);
    }

    int length() {
        return ids.length;
    }
}
