package dev.prpf.par.command;

import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.Closing;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.par.cascade.PromptedModel;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.training.LearningVision;
import dev.prpf.par.training.TrainingConfig;
import dev.prpf.par.training.TrainingConfig.TrainVision;
import dev.prpf.par.training.TrainingVision;
import dev.prpf.par.training.TrainingVision.FrozenVision;
import dev.prpf.par.vision.ModelVisionEncoder;
import dev.prpf.par.vision.VisionConfig;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A model in training, with a tokenizer that always uses its current vision encoder.
 *
 * @param policy closed with it
 * @param vision null if prompts have no images
 */
record PolicyInTraining(PromptedModel policy, @Nullable TrainingVision vision) implements AutoCloseable {
    /** Opens the model for training. Throws 78 for a trained vision encoder without images in the prompts. */
    static PolicyInTraining of(PromptedModel start, ImageFolder images, TrainingConfig config) {
        ModelVisionEncoder sight = start.sight();
        PromptSettings prompt = start.provenance().prompt();
        return Closing.ifRefused(start, policy -> {
            requireUse(prompt, config.trainVision());
            if (sight == null) {
                return new PolicyInTraining(start, null);
            }
            TrainingVision vision = vision(sight, start.directory().path(), config);
            return new PolicyInTraining(start.with(sight, vision, images), vision);
        });
    }

    /** Throws 78 for a trained vision encoder without images in the prompts. */
    static void requireUse(PromptSettings prompt, TrainVision learns) {
        if (learns != TrainVision.NONE && !prompt.screenshots().showsImages()) {
            throw new InvalidConfigurationException("training.train-vision = " + EnumName.of(learns)
                    + ": prompts have only the screenshots' text (prompt.screenshots = ocr), so the vision encoder would"
                    + " learn nothing; set it to none, or prompt.screenshots to pixels or both");
        }
    }

    /** Creates the vision encoder for training: frozen or trainable. */
    static TrainingVision vision(ModelVisionEncoder sight, Path model, TrainingConfig config) {
        return config.trainVision() == TrainVision.NONE
                ? new FrozenVision(sight, sight.placeholder())
                : new LearningVision(
                        model,
                        new LearningVision.Start(sight, sight::patches),
                        config.trainVision(),
                        config.precision().resolve());
    }

    /** Returns the vision encoder's shape; null if prompts have no images. */
    @Nullable
    VisionConfig config() {
        ModelVisionEncoder sight = policy.sight();
        return sight == null ? null : sight.config();
    }

    @Override
    public void close() {
        policy.close();
    }
}
