package dev.prpf.par.command;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.vision.VisualPrompt.PromptImage;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Counts of the images in some prompts.
 *
 * @param reducedImages number of images reduced to {@code prompt.max-visual-tokens}
 */
record ImageCounts(int images, long visualTokens, int reducedImages) {
    public static ImageCounts of(List<PromptExample> prompts) {
        List<PromptImage> all = prompts.stream()
                .flatMap(prompt -> prompt.prompt().shown().stream())
                .toList();
        return new ImageCounts(all.size(), PromptImage.tokens(all), (int)
                all.stream().filter(PromptImage::reduced).count());
    }

    /** Returns a SHA-256 of the images in order; it changes with an image's content, size or token budget. */
    public static String sha256(List<PromptExample> prompts) {
        String keys = prompts.stream()
                .flatMap(prompt -> prompt.prompt().images().stream())
                .map(VisionImage::key)
                .collect(Collectors.joining("\n"));
        return AtomicFiles.sha256(keys.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns facts for the description of a run; empty for text prompts. */
    public static Map<String, Object> facts(List<PromptExample> prompts) {
        return of(prompts).images() == 0 ? Map.of() : Map.of("images_sha256", sha256(prompts));
    }

    /** Formats the counts for people. */
    public String inWords() {
        return images + " images take " + visualTokens + " tokens"
                + (reducedImages == 0
                        ? ""
                        : "; " + reducedImages + " of them were reduced to prompt.max-visual-tokens");
    }
}
