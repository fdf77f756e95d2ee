package dev.prpf.par.vision;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.TraceStep;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.engine.PictureFeatures;
import dev.prpf.par.engine.PictureInputs;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.engine.PromptPictures;
import java.util.List;

/**
 * Finds the images of prompts and encodes them for a decoder.
 *
 * @param encoder of the model; the caller closes it
 * @param placeholder id of the placeholder token for one token of an image
 * @param images folder of the screenshots
 * @param maxTokens most tokens of an image; 0 for the limit of the model's image processor
 */
public record PictureReader(PictureEncoder encoder, int placeholder, ImageFolder images, int maxTokens) {
    /** The reader of a text model: takes prompts of text, and refuses an image with 78. */
    public static final PictureReader BLIND = blind(-1);

    /** Returns a reader without a vision encoder, for a model with this placeholder. */
    public static PictureReader blind(int placeholder) {
        return new PictureReader(new NoEncoder(), placeholder, new ImageFolder(null), 0);
    }

    private record NoEncoder() implements PictureEncoder {
        @Override
        public Picture picture(ImageFile image, int maxTokens) {
            throw new IllegalStateException("there is nothing to see with");
        }

        @Override
        public List<PictureFeatures> features(List<Picture> pictures) {
            throw new IllegalStateException("there are no pictures to see");
        }
    }

    /** Returns whether it takes images. */
    public boolean sees() {
        return !(encoder instanceof NoEncoder);
    }

    /** Returns this reader with another limit. */
    public PictureReader within(int tokens) {
        return new PictureReader(encoder, placeholder, images, tokens);
    }

    /**
     * Returns a prompt with its images.
     *
     * @param ids one placeholder per image
     * @param shown the screenshots of the placeholders, in order
     * @param owner id of their sample, for messages
     * @throws PrpfException 65, naming the file, for an unreadable image; 78 for a text model
     */
    public VisualPrompt prompt(long[] ids, List<TraceStep.Screenshot> shown, String owner) {
        List<PromptPicture> pictures =
                shown.stream().map(shot -> picture(shot, owner)).toList();
        long[] expanded =
                pictures.isEmpty() ? ids : PromptPictures.expand(ids, placeholder, PromptPicture.grids(pictures));
        return new VisualPrompt(expanded, pictures);
    }

    /**
     * Returns a prompt with expanded placeholders.
     *
     * @throws PrpfException as {@link #prompt}; 65 if the images take other tokens than the prompt has
     */
    public VisualPrompt expanded(long[] ids, List<TraceStep.Screenshot> shown, String owner) {
        List<PromptPicture> pictures =
                shown.stream().map(shot -> picture(shot, owner)).toList();
        if (sees()) {
            PromptPictures.of(ids, placeholder, PromptPicture.grids(pictures));
        }
        return new VisualPrompt(ids, pictures);
    }

    private PromptPicture picture(TraceStep.Screenshot shot, String owner) {
        if (encoder instanceof NoEncoder) {
            throw new InvalidConfigurationException("sample " + owner + ": " + shot + " is in the prompt as an"
                    + " image, but the model has no vision encoder; set prompt.screenshots to ocr, or take a model"
                    + " with one");
        }
        ImageFile image = images.image(shot, owner);
        Picture picture = encoder.picture(image, maxTokens);
        boolean reduced = maxTokens > 0
                && encoder.picture(image, 0).grid().tokens() > picture.grid().tokens();
        return new PromptPicture(shot.path(), picture, reduced);
    }

    /**
     * Encodes the images of a prompt.
     *
     * @throws PrpfException as {@link PictureEncoder#features}
     */
    public Prompt see(VisualPrompt prompt) {
        long[] ids = prompt.ids();
        return prompt.pictures().isEmpty()
                ? Prompt.ofText(ids)
                : new Prompt(ids, PictureInputs.of(ids, placeholder, encoder.features(prompt.images())));
    }

    /** Returns the images' places in a prompt with their placeholders. */
    public static PromptPictures places(long[] ids, int placeholder, List<Picture> pictures) {
        return pictures.isEmpty()
                ? PromptPictures.NONE
                : PromptPictures.of(
                        ids, placeholder, pictures.stream().map(Picture::grid).toList());
    }
}
