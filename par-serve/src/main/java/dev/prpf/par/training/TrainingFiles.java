package dev.prpf.par.training;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.CheckpointStore;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.huggingface.ModelPlace;
import dev.prpf.par.lora.LoraAdapters;
import dev.prpf.par.lora.LoraSettings;
import dev.prpf.par.lora.PeftDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The models at both ends of a training. */
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
    /** Whether the model that {@link #open} read has a vision tower, for its adapters' names: their checkpoints need nothing of the start. */
    private boolean besideTower;

    /**
     * Of prompts that may show pictures.
     *
     * @param start Hugging Face directory to start from; its tokenizer is carried along
     * @param result where the trained model goes, replaced whole at the end
     * @param provenance which prompts it was trained on, kept beside its weights; null where examples were not rendered
     * @param vision what the model sees pictures with; null where its prompts show none
     */
    public TrainingFiles(
            Path start, Path result, @Nullable PromptProvenance provenance, @Nullable TrainingVision vision) {
        this.start = start;
        this.result = result;
        this.provenance = provenance;
        this.vision = vision;
        tower = vision == null ? null : vision.trainable();
    }

    /** Of prompts of text. */
    public TrainingFiles(Path start, Path result, @Nullable PromptProvenance provenance) {
        this(start, result, provenance, null);
    }

    public Path start() {
        return start;
    }

    public Path result() {
        return result;
    }

    /** Where adapters go beside the model they were merged into. */
    public Path adapters() {
        return result.resolveSibling(result.getFileName() + "-adapter");
    }

    /**
     * The model as it was at the start, or at a checkpoint.
     *
     * @param checkpoint null for the start
     * @param lora null if all weights learn
     * @param precision of the weights under adapters
     * @param seed of fresh adapters
     */
    public TrainableDecoder open(
            @Nullable Path checkpoint, @Nullable LoraSettings lora, Precision precision, long seed) {
        HuggingFaceDirectory model = HuggingFaceDirectory.open(checkpoint == null || lora != null ? start : checkpoint);
        besideTower = model.vision() != null;
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

    /** Writes what {@link #open}, {@link #optimizer} and {@link #progress} go on from; of adapted models the adapters alone. */
    public void checkpoint(Path directory, TrainableDecoder decoder, FusedAdamW optimizer, Record progress)
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

    /** With what learned of the tower. */
    private void writeAdapters(Path directory, LoraAdapters adapters) throws IOException {
        PeftDirectory.write(directory, adapters, start, besideTower);
        if (tower != null) {
            tower.save(directory);
        }
    }

    /**
     * How far a checkpoint had come.
     *
     * @throws InvalidDataException if its file cannot be read
     */
    public static <P extends Record> P progress(Path checkpoint, Class<P> type) {
        Path file = checkpoint.resolve(PROGRESS);
        try {
            return PROGRESS_JSON.readValue(file.toFile(), type);
        } catch (IOException e) {
            throw new InvalidDataException(file + ": cannot be read: " + e.getMessage());
        }
    }

    /**
     * A fresh optimizer, or that of a checkpoint.
     *
     * @param checkpoint null for a fresh one
     * @param updates that it has made
     */
    public static FusedAdamW optimizer(
            @Nullable Path checkpoint, TrainableDecoder decoder, AdamWSettings settings, long updates) {
        return checkpoint == null
                ? FusedAdamW.fresh(decoder, settings)
                : FusedAdamW.read(checkpoint.resolve(OPTIMIZER), decoder, settings, updates);
    }

    /**
     * Makes the model of a step the result and logs which: of the last step as it is now, of an earlier one as {@link #keep} wrote it.
     *
     * @param selection the configuration's, for the log
     * @throws PrpfException 65 if an earlier step's files are damaged or gone
     */
    public void finish(TrainableDecoder decoder, CheckpointStore kept, long step, long lastStep, Enum<?> selection) {
        if (step == lastStep) {
            finish(decoder);
        } else {
            register(kept, step);
        }
        LOG.info("kept the model of step {} of {} (training.selection: {})", step, lastStep, selection);
    }

    /** Makes the model as it is now the result: one that runs by itself, adapters merged into it and also kept beside it. */
    private void finish(TrainableDecoder decoder) {
        ModelPlace.model(result).replace(directory -> writeModel(directory, decoder));
        LoraAdapters adapters = decoder.adapters();
        if (adapters != null) {
            ModelPlace.adapters(adapters()).replace(directory -> writeAdapters(directory, adapters));
        }
    }

    /** Keeps the model as it is after a step, as {@link #finish} would write it, with a manifest of its files. */
    public void keep(CheckpointStore kept, long step, TrainableDecoder decoder) {
        kept.save(step, directory -> {
            writeModel(Files.createDirectory(directory.resolve(MODEL)), decoder);
            LoraAdapters adapters = decoder.adapters();
            if (adapters != null) {
                writeAdapters(Files.createDirectory(directory.resolve(ADAPTERS)), adapters);
            }
        });
    }

    /** Makes what {@link #keep} wrote after a step the result; 65 if that step's files are damaged or gone. */
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
