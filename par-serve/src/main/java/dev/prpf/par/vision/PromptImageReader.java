package dev.prpf.par.vision;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.engine.ImageFeatures;
import dev.prpf.par.engine.ImageInputs;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.engine.PromptImages;
import dev.prpf.par.vision.VisualPrompt.PromptImage;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.util.List;

/**
 * Finds the images of prompts and encodes them for a decoder.
 *
 * @param encoder of the model; the caller closes it
 * @param placeholder id of the placeholder token for one token of an image
 * @param images folder of the screenshots
 * @param maxTokens most tokens of an image; 0 for the limit of the model's image processor
 */
public record PromptImageReader(VisionEncoder encoder, int placeholder, ImageFolder images, int maxTokens) {
    /** The reader of a text model: takes prompts of text, and refuses an image with 78. */
    public static final PromptImageReader BLIND = blind(-1);

    /** Returns a reader without a vision encoder, for a model with this placeholder. */
    public static PromptImageReader blind(int placeholder) {
        return new PromptImageReader(new NoEncoder(), placeholder, new ImageFolder(null), 0);
    }

    private record NoEncoder() implements VisionEncoder {
        @Override
        public VisionImage image(ImageFile image, int maxTokens) {
            throw new IllegalStateException("there is nothing to see with");
        }

        @Override
        public List<ImageFeatures> features(List<VisionImage> images) {
            throw new IllegalStateException("there are no images to see");
        }
    }

    /** Returns whether it takes images. */
    public boolean sees() {
        return !(encoder instanceof NoEncoder);
    }

    /** Returns this reader with another limit. */
    public PromptImageReader within(int tokens) {
        return new PromptImageReader(encoder, placeholder, images, tokens);
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
        List<PromptImage> shownImages =
                shown.stream().map(shot -> image(shot, owner)).toList();
        long[] expanded =
                shownImages.isEmpty() ? ids : PromptImages.expand(ids, placeholder, PromptImage.grids(shownImages));
        return new VisualPrompt(expanded, shownImages);
    }

    /**
     * Returns a prompt with expanded placeholders.
     *
     * @throws PrpfException as {@link #prompt}; 65 if the images take other tokens than the prompt has
     */
    public VisualPrompt expanded(long[] ids, List<TraceStep.Screenshot> shown, String owner) {
        List<PromptImage> shownImages =
                shown.stream().map(shot -> image(shot, owner)).toList();
        if (sees()) {
            PromptImages.of(ids, placeholder, PromptImage.grids(shownImages));
        }
        return new VisualPrompt(ids, shownImages);
    }

    private PromptImage image(TraceStep.Screenshot shot, String owner) {
        if (encoder instanceof NoEncoder) {
            throw new InvalidConfigurationException("sample " + owner + ": " + shot + " is in the prompt as an"
                    + " image, but the model has no vision encoder; set prompt.screenshots to ocr, or take a model"
                    + " with one");
        }
        ImageFile file = images.image(shot, owner);
        VisionImage image = encoder.image(file, maxTokens);
        boolean reduced = maxTokens > 0
                && encoder.image(file, 0).grid().tokens() > image.grid().tokens();
        return new PromptImage(shot.path(), image, reduced);
    }

    /**
     * Encodes the images of a prompt.
     *
     * @throws PrpfException as {@link VisionEncoder#features}
     */
    public Prompt see(VisualPrompt prompt) {
        long[] ids = prompt.ids();
        return prompt.images().isEmpty()
                ? Prompt.ofText(ids)
                : new Prompt(ids, ImageInputs.of(ids, placeholder, encoder.features(prompt.images())));
    }

    /** Returns the images' places in a prompt with their placeholders. */
    public static PromptImages places(long[] ids, int placeholder, List<VisionImage> images) {
        return images.isEmpty()
                ? PromptImages.NONE
                : PromptImages.of(
                        ids, placeholder, images.stream().map(VisionImage::grid).toList());
    }
}
