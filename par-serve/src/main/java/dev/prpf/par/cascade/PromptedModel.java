package dev.prpf.par.cascade;

import dev.prpf.base.error.Closing;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.vision.ModelVisionEncoder;
import dev.prpf.par.vision.PromptImageReader;
import dev.prpf.par.vision.VisionEncoder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A model directory opened for prompts: its prompt settings and its tokenizer, which is closed with this object.
 *
 * @param sight its vision encoder, closed with it; null if prompts have no images or none was opened
 */
public record PromptedModel(
        HuggingFaceDirectory directory,
        PromptProvenance provenance,
        ChatTokenizer chat,
        @Nullable ModelVisionEncoder sight)
        implements AutoCloseable {
    /**
     * Opens a model's directory.
     *
     * @throws dev.prpf.base.error.PrpfException 65 if the directory does not describe the model's prompts; 78 for another tokenizer or chat
     *     template than in training
     */
    public static PromptedModel open(Path model) {
        PromptProvenance provenance = PromptProvenance.read(model);
        return Closing.ifRefused(
                new PromptedModel(
                        HuggingFaceDirectory.open(model), provenance, PromptProvenance.tokenizer(model), null),
                policy -> {
                    provenance.requireTokenizer(policy.chat, model);
                    return policy;
                });
    }

    /**
     * Returns this model with a vision encoder, if its prompts have images; close only the result. This one is closed on failure.
     *
     * @param images folder of the screenshots
     * @throws dev.prpf.base.error.PrpfException 78 for a text model, 69 without image processor, 65 for an incomplete vision
     *     encoder
     */
    public PromptedModel seeing(ImageFolder images, Precision precision, @Nullable Path store) {
        if (!provenance.prompt().screenshots().showsImages()) {
            return this;
        }
        return Closing.ifRefused(this, policy -> {
            directory.requiredVision("prompt.screenshots");
            ModelVisionEncoder own = directory.visionEncoder(precision, store);
            return with(own, own, images);
        });
    }

    /**
     * Returns this model with another encoder of its images.
     *
     * @param own the model's vision encoder, closed with the result
     * @param seeing computes the images' features: the model's own, or one in training
     */
    public PromptedModel with(ModelVisionEncoder own, VisionEncoder seeing, ImageFolder images) {
        Integer most = provenance.prompt().maxVisualTokens();
        PromptImageReader reader = new PromptImageReader(seeing, own.placeholder(), images, most == null ? 0 : most);
        return new PromptedModel(directory, provenance, chat.seeing(reader), own);
    }

    /** Returns the tokenizer without the chat template: for texts that are not prompts. */
    public Tokenizer tokenizer() {
        return chat.tokenizer();
    }

    @Override
    public void close() {
        if (sight != null) {
            sight.close();
        }
        chat.close();
    }
}
