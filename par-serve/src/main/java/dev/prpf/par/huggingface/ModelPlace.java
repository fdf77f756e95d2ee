package dev.prpf.par.huggingface;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.LockFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.commons.lang3.function.FailableConsumer;
import org.apache.commons.lang3.function.FailableRunnable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory for one model or its adapters, replaced atomically. The new model is written to {@code .NAME.partial}, the old one moved to
 * {@code .NAME.previous}; then the new one moves in and the old one is deleted. After a kill the directory or {@code .NAME.previous} holds a
 * complete model, and {@link #recover} moves it back. The lock on {@code .NAME.lock} allows one writer at a time.
 */
public final class ModelPlace {
    private static final Logger LOG = LoggerFactory.getLogger(ModelPlace.class);
    private static final String PREVIOUS = ".previous";
    private static final String LOCK = ".lock";
    private static final int MAX_LINKS = 40;

    /** The files that transformers, PEFT and this project write for a model. */
    private static final Pattern OF_A_MODEL = Pattern.compile(
            "(config|generation_config|prpf|tokenizer|tokenizer_config|special_tokens_map|added_tokens|vocab"
                    + "|adapter_config|preprocessor_config|video_preprocessor_config|processor_config)\\.json|merges\\.txt|chat_template\\.jinja"
                    + "|vision\\.safetensors|(model|adapter_model).*\\.safetensors(\\.index\\.json)?");

    private final Path path;
    private final String what;
    private final String marker;
    private final Pattern weights;

    private ModelPlace(Path path, String what, String marker, String weights) {
        this.path = path;
        this.what = what;
        this.marker = marker;
        this.weights = Pattern.compile(weights + ".*\\.safetensors");
    }

    /** Returns the directory of a model, identified by {@code config.json} and {@code model*.safetensors}. */
    public static ModelPlace model(Path path) {
        return new ModelPlace(path, "model", "config.json", "model");
    }

    /** Returns the directory of adapters, identified by {@code adapter_config.json} and {@code adapter_model*.safetensors}. */
    public static ModelPlace adapters(Path path) {
        return new ModelPlace(path, "adapter", "adapter_config.json", "adapter_model");
    }

    /**
     * Rejects a path with other content than such a model; a missing or empty directory is accepted.
     *
     * @return whether a model exists there
     * @throws PrpfException 2, naming the foreign file
     */
    public boolean requireReplaceable() {
        recover();
        return isReplaceable();
    }

    private boolean isReplaceable() {
        if (!Files.exists(path)) {
            return false;
        }
        if (!Files.isDirectory(path)) {
            throw new UsageException("--out " + path + ": is a file; name a folder for the " + what);
        }
        List<Path> found = list(path);
        if (found.isEmpty()) {
            return false;
        }
        Path foreign = found.stream()
                .filter(file -> Files.isDirectory(file)
                        || !OF_A_MODEL.matcher(file.getFileName().toString()).matches())
                .findFirst()
                .orElse(isMarked(found) ? null : found.get(0));
        if (foreign != null) {
            throw new UsageException("--out " + path + ": its content would be replaced, but it holds " + foreign
                    + ", which is not part of a trained " + what + "; name another folder");
        }
        return true;
    }

    private boolean isMarked(List<Path> files) {
        List<String> names =
                files.stream().map(file -> file.getFileName().toString()).toList();
        return names.contains(marker)
                && names.stream().anyMatch(name -> weights.matcher(name).matches());
    }

    /**
     * Replaces the old model by a new one.
     *
     * @param writer receives an empty directory; if it fails, the old model stays
     * @throws PrpfException 2 if foreign files appeared meanwhile (the new model stays in {@code .NAME.partial}). 69 if it cannot be written
     *     or another process is writing
     */
    public void replace(FailableConsumer<Path, IOException> writer) {
        IoFailure.whileWriting(path, () -> {
            Path target = target();
            if (!locked(target, () -> replace(target, writer))) {
                throw new UnavailableException(path + ": another process is writing its " + what
                        + " here; run the same command again when it has ended, or name another folder");
            }
        });
    }

    private void replace(Path target, FailableConsumer<Path, IOException> writer) throws IOException {
        restore(target);
        Path partial = sibling(target, ".partial");
        delete(partial);
        Files.createDirectories(partial);
        write(partial, writer);
        isReplaceable();
        Path previous = sibling(target, PREVIOUS);
        delete(previous);
        if (Files.exists(target)) {
            AtomicFiles.move(target, previous);
        }
        AtomicFiles.move(partial, target);
        delete(previous);
    }

    private void write(Path partial, FailableConsumer<Path, IOException> writer) throws IOException {
        boolean whole = false;
        try {
            writer.accept(partial);
            for (Path file : list(partial)) {
                AtomicFiles.sync(file);
            }
            whole = true;
        } finally {
            if (!whole) {
                delete(partial);
            }
        }
    }

    /** Restores the old model after a kill before the new one was moved in; waits for a writer between its two moves. */
    public void recover() {
        IoFailure.whileWriting(path, () -> {
            Path target = target();
            while (isCutOff(target)) {
                locked(target, () -> restore(target));
            }
        });
    }

    /** Runs a step under the lock; returns false if another process holds the lock. */
    private static boolean locked(Path target, FailableRunnable<IOException> step) throws IOException {
        Path file = sibling(target, LOCK);
        try (LockFile lock = LockFile.tryTake(file)) {
            if (lock == null) {
                return false;
            }
            try {
                step.run();
            } finally {
                Files.deleteIfExists(file); // under the lock, so that no process locks a deleted file
            }
            return true;
        }
    }

    private boolean isCutOff(Path target) {
        return !Files.exists(target) && Files.exists(sibling(target, PREVIOUS).resolve(marker));
    }

    private void restore(Path target) throws IOException {
        if (isCutOff(target)) {
            AtomicFiles.move(sibling(target, PREVIOUS), target);
            LOG.warn("{}: its replacement was interrupted; the previous {} is restored", path, what);
        }
    }

    /** Resolves links to the directory itself, which may be moved away at the moment; the link stays. */
    private Path target() throws IOException {
        Path target = path.toAbsolutePath().normalize();
        for (int links = 0; links < MAX_LINKS && Files.isSymbolicLink(target); links++) {
            target = target.resolveSibling(Files.readSymbolicLink(target));
        }
        return target;
    }

    private static Path sibling(Path target, String ending) {
        return target.resolveSibling("." + target.getFileName() + ending);
    }

    private List<Path> list(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        } catch (IOException e) {
            throw IoFailure.writing(path, e);
        }
    }

    /** Deletes a directory, its marker file first, so that the rest is not taken for a model. */
    private void delete(Path directory) throws IOException {
        Files.deleteIfExists(directory.resolve(marker));
        AtomicFiles.deleteTree(directory);
    }
}
