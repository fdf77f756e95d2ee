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
 * Finds the pictures of prompts and makes of them what a decoder takes.
 *
 * @param encoder the model's; stays the caller's
 * @param placeholder id of the token that stands for one of a picture's tokens
 * @param images where screenshots are found
 * @param maxTokens that one may take at most; 0 for the bound of the model's image processor
 */
public record PictureReader(PictureEncoder encoder, int placeholder, ImageFolder images, int maxTokens) {
    /** Of a model that does not see: takes prompts of text, and refuses a picture with 78. */
    public static final PictureReader BLIND = blind(-1);

    /** The same of a model whose tower is not here, with its placeholder. */
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

    /** Whether it takes pictures. */
    public boolean sees() {
        return !(encoder instanceof NoEncoder);
    }

    /** The same with another bound. */
    public PictureReader within(int tokens) {
        return new PictureReader(encoder, placeholder, images, tokens);
    }

    /**
     * A prompt with its pictures.
     *
     * @param ids one placeholder a picture
     * @param shown the screenshots that have one, in order
     * @param owner the sample that they belong to, for messages
     * @throws PrpfException 65, naming the file, for one that cannot be read as a picture; 78 if the model does not see
     */
    public VisualPrompt prompt(long[] ids, List<TraceStep.Screenshot> shown, String owner) {
        List<PromptPicture> pictures =
                shown.stream().map(shot -> picture(shot, owner)).toList();
        long[] expanded =
                pictures.isEmpty() ? ids : PromptPictures.expand(ids, placeholder, PromptPicture.grids(pictures));
        return new VisualPrompt(expanded, pictures);
    }

    /**
     * Returns a prompt whose placeholders are expanded already.
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
            throw new InvalidConfigurationException("sample " + owner + ": " + shot + " stands in the prompt as a"
                    + " picture, but the model sees none; set prompt.screenshots to ocr, or take a model with a vision"
                    + " tower");
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

    /** Where they stand in a prompt, which holds their placeholders. */
    public static PromptPictures places(long[] ids, int placeholder, List<Picture> pictures) {
        return pictures.isEmpty()
                ? PromptPictures.NONE
                : PromptPictures.of(
                        ids, placeholder, pictures.stream().map(Picture::grid).toList());
    }
}
