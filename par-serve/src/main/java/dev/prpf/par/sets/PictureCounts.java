package dev.prpf.par.sets;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.par.vision.Picture;
import dev.prpf.par.vision.PromptPicture;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Counts of the images in some prompts.
 *
 * @param pictures number of images
 * @param visualTokens total number of their tokens
 * @param reducedPictures number of images reduced to {@code prompt.max-visual-tokens}
 */
public record PictureCounts(int pictures, long visualTokens, int reducedPictures) {
    /** Counts the images of all prompts. */
    public static PictureCounts of(List<PromptExample> prompts) {
        List<PromptPicture> all = prompts.stream()
                .flatMap(prompt -> prompt.prompt().pictures().stream())
                .toList();
        return new PictureCounts(all.size(), PromptPicture.tokens(all), (int)
                all.stream().filter(PromptPicture::reduced).count());
    }

    /** Returns a SHA-256 of the images in order; it changes with an image's content, size or token budget. */
    public static String sha256(List<PromptExample> prompts) {
        String keys = prompts.stream()
                .flatMap(prompt -> prompt.prompt().images().stream())
                .map(Picture::key)
                .collect(Collectors.joining("\n"));
        return AtomicFiles.sha256(keys.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns facts for the description of a run; empty for text prompts. */
    public static Map<String, Object> facts(List<PromptExample> prompts) {
        return of(prompts).pictures() == 0 ? Map.of() : Map.of("pictures_sha256", sha256(prompts));
    }

    /** Formats the counts for people. */
    public String inWords() {
        return pictures + " images take " + visualTokens + " tokens"
                + (reducedPictures == 0
                        ? ""
                        : "; " + reducedPictures + " of them were reduced to prompt.max-visual-tokens");
    }
}
