package dev.prpf.par.command;

import dev.prpf.base.command.OptionGroup;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import dev.prpf.par.engine.ImageInputs;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.engine.PromptImages;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.vision.ModelVisionEncoder;
import dev.prpf.par.vision.VisionConfig;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** The images of a prompt; a mixin. */
@OptionGroup(OptionGroup.DATA)
final class ImagesOption {
    private static final String IMAGES = "--images";

    @Option(
            names = IMAGES,
            split = ",",
            paramLabel = "FILE",
            description =
                    "Images for models with vision, in placeholder order (config.json's image_token_id):"
                            + " --ids has one for each merged patch, --prompt with --special-tokens one <|image_pad|> per image.")
    private List<Path> images = List.of();

    boolean none() {
        return images.isEmpty();
    }

    /**
     * Encodes the images and expands their placeholders.
     *
     * @param ids of the prompt
     * @param expanded whether it has a placeholder for each merged patch, or one per image
     */
    Prompt see(HuggingFaceDirectory model, Precision precision, long[] ids, boolean expanded) {
        if (images.isEmpty()) {
            VisionConfig vision = model.vision();
            return vision == null
                    ? Prompt.ofText(ids)
                    : new Prompt(ids, ImageInputs.of(ids, vision.tokens().image(), List.of()));
        }
        int placeholder = model.requiredVision(IMAGES).tokens().image();
        try (ModelVisionEncoder encoder = model.visionEncoder(precision, null)) {
            List<VisionImage> unencoded = images.stream()
                    .map(image -> encoder.image(ImageFile.of(image), 0))
                    .toList();
            List<ImageGrid> grids = unencoded.stream().map(VisionImage::grid).toList();
            long[] whole = expanded ? ids : PromptImages.expand(ids, placeholder, grids);
            PromptImages places = PromptImages.of(whole, placeholder, grids);
            return new Prompt(whole, new ImageInputs(places, encoder.features(unencoded)));
        }
    }
}
