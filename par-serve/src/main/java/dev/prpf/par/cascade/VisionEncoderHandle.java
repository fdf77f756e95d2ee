package dev.prpf.par.cascade;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.vision.ModelVisionEncoder;
import dev.prpf.par.vision.PromptImageReader;
import dev.prpf.par.vision.VisionEncoder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A reasoner's vision encoder, for prompts with screenshots.
 *
 * @param encoder its image processor and vision encoder, closed with this
 */
public record VisionEncoderHandle(ModelVisionEncoder encoder) implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(VisionEncoderHandle.class);

    /**
     * Opens a model's vision encoder.
     *
     * @param precision of the vision encoder
     * @param store folder where features are stored; null for in memory only
     * @throws PrpfException 78 for a text model, 69 without image processor, 65 for an incomplete vision encoder
     */
    public static VisionEncoderHandle open(HuggingFaceDirectory model, Precision precision, @Nullable Path store) {
        model.requiredVision("prompt.screenshots");
        return new VisionEncoderHandle(model.visionEncoder(precision, store));
    }

    /**
     * Opens the vision encoder of a model with text prompts.
     *
     * @return null for a model that takes only text; logs a warning if its vision encoder is incomplete
     */
    public static @Nullable VisionEncoderHandle openIfWhole(HuggingFaceDirectory model, Precision precision) {
        if (model.vision() == null) {
            return null;
        }
        try {
            return new VisionEncoderHandle(model.visionEncoder(precision, null));
        } catch (InvalidDataException | UnavailableException e) {
            LOG.warn("{} gets only texts, its vision encoder cannot be opened: {}", model.path(), e.getMessage());
            return null;
        }
    }

    /** Returns the id of the placeholder token for one token of an image. */
    public int placeholder() {
        return encoder.config().tokens().image();
    }

    /**
     * Returns a reader of prompts' images.
     *
     * @param seeing the encoder that computes the images' features: the model's own, or one in training
     * @param images folder of the screenshots
     */
    public PromptImageReader reader(VisionEncoder seeing, ImageFolder images, PromptSettings prompt) {
        Integer most = prompt.maxVisualTokens();
        return new PromptImageReader(seeing, placeholder(), images, most == null ? 0 : most);
    }

    @Override
    public void close() {
        encoder.close();
    }
}
