package dev.prpf.par.cascade;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.vision.ModelPictureEncoder;
import dev.prpf.par.vision.PictureEncoder;
import dev.prpf.par.vision.PictureReader;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a model sees screenshots with.
 *
 * @param encoder its image processor and its vision tower, closed with it
 */
public record Sight(ModelPictureEncoder encoder) implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sight.class);

    /**
     * Opens a model's.
     *
     * @param precision of the tower
     * @param store folder where features are kept for good; null for in memory alone
     * @throws PrpfException 78 for a model of text, 69 without image processor, 65 for a tower that is not whole
     */
    public static Sight open(HuggingFaceDirectory model, Precision precision, @Nullable Path store) {
        model.requiredVision("prompt.screenshots");
        return new Sight(model.pictureEncoder(precision, store));
    }

    /**
     * Opens that of a model whose prompts do without.
     *
     * @return null, and a warning where there is half of one, for a model that can only be given texts
     */
    public static @Nullable Sight openIfWhole(HuggingFaceDirectory model, Precision precision) {
        if (model.vision() == null) {
            return null;
        }
        try {
            return new Sight(model.pictureEncoder(precision, null));
        } catch (InvalidDataException | UnavailableException e) {
            LOG.warn("{} is given texts alone, it cannot see: {}", model.path(), e.getMessage());
            return null;
        }
    }

    /** Id of the token that stands for one of a picture's tokens. */
    public int placeholder() {
        return encoder.config().tokens().image();
    }

    /**
     * Finds the pictures of prompts.
     *
     * @param seeing gives their features: the encoder, or a training's
     * @param images where screenshots lie
     */
    public PictureReader reader(PictureEncoder seeing, ImageFolder images, PromptSettings prompt) {
        Integer most = prompt.maxVisualTokens();
        return new PictureReader(seeing, placeholder(), images, most == null ? 0 : most);
    }

    @Override
    public void close() {
        encoder.close();
    }
}
