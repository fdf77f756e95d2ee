package dev.prpf.par.command;

import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.engine.PictureGrid;
import dev.prpf.par.engine.PictureInputs;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.engine.PromptPictures;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.vision.ModelPictureEncoder;
import dev.prpf.par.vision.Picture;
import dev.prpf.par.vision.VisionConfig;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** The images of a prompt; a mixin. */
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

    /** Returns whether no image is given. */
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
                    : new Prompt(ids, PictureInputs.of(ids, vision.tokens().image(), List.of()));
        }
        int placeholder = model.requiredVision(IMAGES).tokens().image();
        try (ModelPictureEncoder encoder = model.pictureEncoder(precision, null)) {
            List<Picture> pictures = images.stream()
                    .map(image -> encoder.picture(ImageFile.of(image), 0))
                    .toList();
            List<PictureGrid> grids = pictures.stream().map(Picture::grid).toList();
            long[] whole = expanded ? ids : PromptPictures.expand(ids, placeholder, grids);
            PromptPictures places = PromptPictures.of(whole, placeholder, grids);
            return new Prompt(whole, new PictureInputs(places, encoder.features(pictures)));
        }
    }
}
