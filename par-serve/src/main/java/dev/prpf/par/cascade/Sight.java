package dev.prpf.par.cascade;

import dev.prpf.base.error.PrpfException;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.encode.image.VisionGrid;
import dev.prpf.data.encode.image.VisionPatches;
import dev.prpf.data.encode.image.VisionProcessor;
import dev.prpf.par.engine.PictureGrid;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.vision.ModelPictureEncoder;
import dev.prpf.par.vision.Picture;
import dev.prpf.par.vision.PictureEncoder;
import dev.prpf.par.vision.PictureReader;
import dev.prpf.par.vision.VisionConfig;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What a model sees screenshots with: its image processor and its vision tower.
 *
 * @param encoder closed with it
 * @param placeholder id of the token that stands for one of a picture's tokens
 */
public record Sight(ModelPictureEncoder encoder, VisionProcessor processor, int placeholder) implements AutoCloseable {
    private static final String PROCESSOR = "preprocessor_config.json";
    private static final String OPTION = "prompt.screenshots";

    /**
     * Opens a model's.
     *
     * @param precision of the tower
     * @param store folder where features are kept for good; null for in memory alone
     * @throws PrpfException 78 for a model of text, 69 without image processor, 65 for a tower that is not whole
     */
    public static Sight open(HuggingFaceDirectory model, Precision precision, @Nullable Path store) {
        VisionConfig config = model.requiredVision(OPTION);
        VisionProcessor processor = VisionProcessor.read(model.path().resolve(PROCESSOR));
        ModelPictureEncoder encoder =
                new ModelPictureEncoder(processor, model.tower(precision), model.visionSha256(), store);
        return new Sight(encoder, processor, config.tokens().image());
    }

    /**
     * Finds the pictures of prompts.
     *
     * @param seeing gives their features: the encoder, or a training's
     * @param images where screenshots lie
     */
    public PictureReader reader(PictureEncoder seeing, ImageFolder images, PromptSettings prompt) {
        Integer most = prompt.maxVisualTokens();
        return new PictureReader(seeing, placeholder, images, most == null ? 0 : most);
    }

    /** A picture as the tower takes it. */
    public VisionPatches patches(Picture picture) {
        PictureGrid grid = picture.grid();
        int merge = VisionConfig.MERGE;
        return processor.patches(
                picture.image().read(), new VisionGrid(grid.rows() * merge, grid.columns() * merge, merge));
    }

    @Override
    public void close() {
        encoder.close();
    }
}
