package dev.prpf.par.training;

import dev.prpf.base.files.IoFailure;
import dev.prpf.base.run.CheckpointStore;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.lora.LoraAdapters;
import dev.prpf.par.lora.LoraSettings;
import dev.prpf.par.lora.PeftDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The models at both ends of a training.
 *
 * @param start Hugging Face directory to start from; its tokenizer is carried along
 * @param result where the trained model goes, replaced whole at the end
 * @param provenance which prompts it was trained on, kept beside its weights; null where examples were not rendered
 */
public record TrainingFiles(Path start, Path result, @Nullable PromptProvenance provenance) {
    /** Where adapters go beside the model they were merged into. */
    public Path adapters() {
        return result.resolveSibling(result.getFileName() + "-adapter");
    }

    /**
     * The model as it was at the start, or at a checkpoint.
     *
     * @param checkpoint null for the start
     * @param lora null if all weights learn
     * @param seed of fresh adapters
     */
    public TrainableDecoder open(@Nullable Path checkpoint, @Nullable LoraSettings lora, long seed) {
        if (lora == null) {
            Path from = checkpoint == null ? start : checkpoint;
            return TrainableDecoder.full(HuggingFaceDirectory.open(from).weights(Precision.FP32));
        }
        DecoderWeights weights = HuggingFaceDirectory.open(start).weights(Precision.FP32);
        try {
            LoraAdapters adapters = checkpoint == null
                    ? LoraAdapters.fresh(weights, lora, seed)
                    : PeftDirectory.read(checkpoint, weights);
            return TrainableDecoder.adapted(weights, adapters);
        } catch (RuntimeException e) {
            weights.close();
            throw e;
        }
    }

    /** What {@link #open} goes on from: the model, or the adapters alone. */
    public void checkpoint(Path directory, TrainableDecoder decoder) throws IOException {
        LoraAdapters adapters = decoder.adapters();
        if (adapters == null) {
            write(directory, decoder.weights());
        } else {
            PeftDirectory.write(directory, adapters, start);
        }
    }

    /** A model that runs by itself, adapters merged into it and also kept beside it. */
    public void finish(TrainableDecoder decoder) {
        writeModel(result, decoder);
        LoraAdapters adapters = decoder.adapters();
        if (adapters != null) {
            replace(adapters(), directory -> PeftDirectory.write(directory, adapters, start));
        }
    }

    /** Makes what another training wrote the result of this one. */
    public void adopt(TrainingFiles other) {
        replace(result, directory -> copy(other.result, directory));
        if (Files.isDirectory(other.adapters())) {
            replace(adapters(), directory -> copy(other.adapters(), directory));
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> found = Files.list(from)) {
            for (Path file : found.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    /** Replaces a directory by the model as it is now, adapters merged. */
    private void writeModel(Path target, TrainableDecoder decoder) {
        LoraAdapters adapters = decoder.adapters();
        if (adapters == null) {
            replace(target, directory -> write(directory, decoder.weights()));
            return;
        }
        try (DecoderWeights merged = adapters.merged(decoder.weights())) {
            replace(target, directory -> write(directory, merged));
        }
    }

    private static void replace(Path target, CheckpointStore.Writer writer) {
        try {
            HuggingFaceDirectory.replace(target, writer);
        } catch (IOException e) {
            throw IoFailure.writing(target, e);
        }
    }

    private void write(Path directory, DecoderWeights weights) throws IOException {
        HuggingFaceDirectory.write(directory, weights, start);
        if (provenance != null) {
            provenance.write(directory);
        }
    }
}
