package dev.prpf.par.sets;

import dev.prpf.par.vision.PromptPicture;
import java.util.List;

/**
 * The pictures of some prompts.
 *
 * @param pictures all of them
 * @param visualTokens that they take
 * @param reducedPictures those that were made smaller to take no more than {@code prompt.max-visual-tokens}
 */
public record PictureCounts(int pictures, long visualTokens, int reducedPictures) {
    /** Of all prompts together. */
    public static PictureCounts of(List<PromptExample> prompts) {
        List<PromptPicture> all =
                prompts.stream().flatMap(prompt -> prompt.pictures().stream()).toList();
        return new PictureCounts(all.size(), PromptPicture.tokens(all), (int)
                all.stream().filter(PromptPicture::reduced).count());
    }

    /** For a person. */
    public String inWords() {
        return pictures + " pictures take " + visualTokens + " tokens"
                + (reducedPictures == 0
                        ? ""
                        : "; " + reducedPictures + " of them were made smaller to keep to prompt.max-visual-tokens");
    }
}
