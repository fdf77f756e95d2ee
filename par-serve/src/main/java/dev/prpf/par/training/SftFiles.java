package dev.prpf.par.training;

import dev.prpf.par.model.DecoderWeights;
import dev.prpf.par.model.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The models at both ends of a fine-tuning.
 *
 * @param start Hugging Face directory to start from; its tokenizer is carried along
 * @param result where the trained model goes, replaced whole at the end
 * @param provenance which prompts it was trained on, kept beside its weights; null where examples were not rendered
 */
public record SftFiles(Path start, Path result, @Nullable PromptProvenance provenance) {
    void write(Path directory, DecoderWeights weights) throws IOException {
        HuggingFaceDirectory.write(directory, weights, start);
        if (provenance != null) {
            provenance.write(directory);
        }
    }
}
