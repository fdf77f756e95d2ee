package dev.prpf.par.training;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.run.CheckpointStore;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.huggingface.ModelPlace;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.training.TrainingConfig.AdamWSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The models before and after a training. */
public final class TrainingFiles {
    private static final Logger LOG = LoggerFactory.getLogger(TrainingFiles.class);
    private static final String MODEL = "model";
    private static final String ADAPTERS = "adapter";
    private static final String OPTIMIZER = "optimizer.safetensors";
    private static final String PROGRESS = "progress.json";
    private static final ObjectMapper PROGRESS_JSON =
            new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    private final Path start;
    private final Path result;
    private final @Nullable PromptProvenance provenance;
    private final @Nullable TrainingVision vision;
    private final @Nullable LearningVision tower;
    /**
     * Whether the model before the training has a vision encoder, for the names of its adapters; their checkpoints need nothing else of that model.
     */
    private boolean hasVision;

    /**
     * Creates the files of a training on prompts that may have images.
     *
     * @param start Hugging Face directory of the model before the training; its tokenizer is copied
     * @param result directory of the trained model, replaced whole at the end
     * @param provenance of its prompts, saved with its weights; null for examples without rendered prompts
     * @param vision encoder of images; null for prompts without images
     */
    public TrainingFiles(
            Path start, Path result, @Nullable PromptProvenance provenance, @Nullable TrainingVision vision) {
        this.start = start;
        this.result = result;
        this.provenance = provenance;
        this.vision = vision;
        tower = vision == null ? null : vision.trainable();
    }

    /** Creates the files of a training on text. */
    public TrainingFiles(Path start, Path result, @Nullable PromptProvenance provenance) {
        this(start, result, provenance, null);
    }

    public Path start() {
        return start;
    }

    public Path result() {
        return result;
    }

    /** Returns the directory of the adapters, next to the model that they were merged into. */
    public Path adapters() {
        return result.resolveSibling(result.getFileName() + "-adapter");
    }

    /**
     * Opens the model before the training, or at a checkpoint.
     *
     * @param checkpoint null for the model before the training
     * @param lora null to train all weights
     * @param precision of the weights under adapters
     * @param seed of fresh adapters
     */
    public TrainableDecoder open(
            @Nullable Path checkpoint, @Nullable LoraSettings lora, Precision precision, long seed) {
        HuggingFaceDirectory model = HuggingFaceDirectory.open(checkpoint == null || lora != null ? start : checkpoint);
        hasVision = model.vision() != null;
        List<AutoCloseable> opened = new ArrayList<>();
        try {
            if (lora == null) {
                DecoderWeights weights = model.weights(Precision.FP32);
                opened.add(weights);
                openVision(checkpoint, opened);
                return TrainableDecoder.full(weights, vision);
            }
            LoraAdapters adapters = checkpoint == null
                    ? LoraAdapters.fresh(model.config(), lora, seed)
                    : PeftDirectory.read(checkpoint, model.config());
            opened.add(adapters);
            openVision(checkpoint, opened);
            CausalLm base = model.frozen(precision);
            opened.add(base);
            return TrainableDecoder.adapted(base, adapters, vision);
        } catch (RuntimeException e) {
            opened.forEach(part -> closeAfter(e, part));
            throw e;
        }
    }

    private void openVision(@Nullable Path checkpoint, List<AutoCloseable> opened) {
        if (tower != null) {
            opened.add(tower);
            tower.open(checkpoint);
        }
    }

    private static void closeAfter(RuntimeException failure, AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            failure.addSuppressed(e);
        }
    }

    /** Writes a checkpoint for {@link #open}, {@link #optimizer} and {@link #progress}; of adapted models only the adapters. */
    public void checkpoint(Path directory, TrainableDecoder decoder, FusedAdamW optimizer, Object progress)
            throws IOException {
        optimizer.write(directory.resolve(OPTIMIZER));
        PROGRESS_JSON.writeValue(directory.resolve(PROGRESS).toFile(), progress);
        LoraAdapters adapters = decoder.adapters();
        if (adapters != null) {
            writeAdapters(directory, adapters);
            return;
        }
        write(directory, decoder.weights());
        if (tower != null) {
            tower.save(directory);
        }
    }

    private void writeAdapters(Path directory, LoraAdapters adapters) throws IOException {
        PeftDirectory.write(directory, adapters, start, hasVision);
        if (tower != null) {
            tower.save(directory);
        }
    }

    /**
     * Reads the progress of a checkpoint.
     *
     * @throws InvalidDataException if its file cannot be read
     */
    public static <P> P progress(Path checkpoint, Class<P> type) {
        Path file = checkpoint.resolve(PROGRESS);
        try {
            return PROGRESS_JSON.readValue(file.toFile(), type);
        } catch (IOException e) {
            throw new InvalidDataException(file + ": cannot be read: " + e.getMessage());
        }
    }

    /** Creates an optimizer if the checkpoint is null, or reads that of the checkpoint. */
    public static FusedAdamW optimizer(@Nullable Path checkpoint, TrainableDecoder decoder, AdamWSettings settings) {
        return checkpoint == null
                ? FusedAdamW.fresh(decoder, settings)
                : FusedAdamW.read(checkpoint.resolve(OPTIMIZER), decoder, settings);
    }

    /**
     * Makes the model of a step the result, and logs the step. For the last step this is the current model, for an earlier one the files of {@link
     * #keep}.
     *
     * @param selection the configuration's, for the log
     * @throws PrpfException 65 if an earlier step's files are corrupt or missing
     */
    public void finish(TrainableDecoder decoder, CheckpointStore kept, long step, long lastStep, Enum<?> selection) {
        if (step == lastStep) {
            finish(decoder);
        } else {
            register(kept, step);
        }
        LOG.info("kept the model of step {} of {} (training.selection: {})", step, lastStep, selection);
    }

    /** Makes the current model the result: adapters are merged into it, and also saved next to it. */
    private void finish(TrainableDecoder decoder) {
        ModelPlace.model(result).replace(directory -> writeModel(directory, decoder));
        LoraAdapters adapters = decoder.adapters();
        if (adapters != null) {
            ModelPlace.adapters(adapters()).replace(directory -> writeAdapters(directory, adapters));
        }
    }

    /** Saves the current model after a step, in the form of {@link #finish}, with a manifest of its files. */
    public void keep(CheckpointStore kept, long step, TrainableDecoder decoder) {
        kept.save(step, directory -> {
            writeModel(Files.createDirectory(directory.resolve(MODEL)), decoder);
            LoraAdapters adapters = decoder.adapters();
            if (adapters != null) {
                writeAdapters(Files.createDirectory(directory.resolve(ADAPTERS)), adapters);
            }
        });
    }

    /** Makes the model that {@link #keep} saved after a step the result; 65 if its files are corrupt or missing. */
    private void register(CheckpointStore kept, long step) {
        CheckpointStore.Checkpoint found = kept.latest();
        if (found == null || found.step() != step) {
            throw new InvalidDataException(result + ": the model of step " + step
                    + ", the best of the run, is damaged or gone from the run's folder best/ ("
                    + (found == null ? "none is whole there" : "step " + found.step() + " is there")
                    + "); train again in another --run-dir, or keep the last step's model with another selection");
        }
        Path from = found.directory();
        ModelPlace.model(result).replace(directory -> copy(from.resolve(MODEL), directory));
        if (Files.isDirectory(from.resolve(ADAPTERS))) {
            ModelPlace.adapters(adapters()).replace(directory -> copy(from.resolve(ADAPTERS), directory));
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> found = Files.list(from)) {
            for (Path file : found.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    private void writeModel(Path directory, TrainableDecoder decoder) throws IOException {
        LoraAdapters adapters = decoder.adapters();
        if (adapters == null) {
            write(directory, decoder.weights());
            return;
        }
        HuggingFaceDirectory.open(start)
                .writeChanged(directory, adapters::merged, tower == null ? null : tower.weights());
        writeProvenance(directory);
    }

    private void write(Path directory, DecoderWeights weights) throws IOException {
        HuggingFaceDirectory.write(directory, weights, tower == null ? null : tower.weights(), start);
        writeProvenance(directory);
    }

    private void writeProvenance(Path directory) throws IOException {
        if (provenance != null) {
            provenance.write(directory);
        }
    }
}
