package dev.prpf.par.sets;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.par.vision.Picture;
import dev.prpf.par.vision.PromptPicture;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

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
        List<PromptPicture> all = prompts.stream()
                .flatMap(prompt -> prompt.prompt().pictures().stream())
                .toList();
        return new PictureCounts(all.size(), PromptPicture.tokens(all), (int)
                all.stream().filter(PromptPicture::reduced).count());
    }

    /** SHA-256 over what is seen in the prompts, in order: another content, size or budget of a picture gives another. */
    public static String sha256(List<PromptExample> prompts) {
        String keys = prompts.stream()
                .flatMap(prompt -> prompt.prompt().images().stream())
                .map(Picture::key)
                .collect(Collectors.joining("\n"));
        return AtomicFiles.sha256(keys.getBytes(StandardCharsets.UTF_8));
    }

    /** What a run that reads them is described by; nothing for prompts of text. */
    public static Map<String, Object> facts(List<PromptExample> prompts) {
        return of(prompts).pictures() == 0 ? Map.of() : Map.of("pictures_sha256", sha256(prompts));
    }

    /** For a person. */
    public String inWords() {
        return pictures + " pictures take " + visualTokens + " tokens"
                + (reducedPictures == 0
                        ? ""
                        : "; " + reducedPictures + " of them were made smaller to keep to prompt.max-visual-tokens");
    }
}
