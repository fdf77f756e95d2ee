package dev.prpf.par.huggingface;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.error.UsageException;
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
 * A directory that one model, or the adapters of one, has for itself. A new model takes the place whole: it is written to {@code
 * .NAME.partial}, the old one steps aside to {@code .NAME.previous}, the new one moves in, the old one is deleted. Whatever a kill leaves, the
 * place or {@code .NAME.previous} holds a whole model, and {@link #recover} moves it back. One process at a time writes: it holds the lock on
 * {@code .NAME.lock}.
 */
public final class ModelPlace {
    private static final Logger LOG = LoggerFactory.getLogger(ModelPlace.class);
    private static final String PREVIOUS = ".previous";
    private static final String LOCK = ".lock";
    private static final int MOST_LINKS = 40;

    /** The files that transformers, PEFT and this project keep with a model. */
    private static final Pattern OF_A_MODEL = Pattern.compile(
            "(config|generation_config|prpf|tokenizer|tokenizer_config|special_tokens_map|added_tokens|vocab"
                    + "|adapter_config|preprocessor_config|video_preprocessor_config|processor_config)\\.json|merges\\.txt|chat_template\\.jinja"
                    + "|vision\\.safetensors|(model|adapter_model).*\\.safetensors(\\.index\\.json)?");

    private final Path path;
    private final String what;
    private final String mark;
    private final Pattern weights;

    private ModelPlace(Path path, String what, String mark, String weights) {
        this.path = path;
        this.what = what;
        this.mark = mark;
        this.weights = Pattern.compile(weights + ".*\\.safetensors");
    }

    /** The place of a model, which {@code config.json} and {@code model*.safetensors} mark. */
    public static ModelPlace model(Path path) {
        return new ModelPlace(path, "model", "config.json", "model");
    }

    /** The place of adapters, which {@code adapter_config.json} and {@code adapter_model*.safetensors} mark. */
    public static ModelPlace adapters(Path path) {
        return new ModelPlace(path, "adapter", "adapter_config.json", "adapter_model");
    }

    /**
     * Refuses a path where something else than such a model lies; none and an empty directory are free.
     *
     * @return whether a model is there
     * @throws PrpfException 2, naming what lies there
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
            throw new UsageException("--out " + path + ": all in it would be replaced, and it holds " + foreign
                    + ", so it is no " + what + " of a training; name another folder");
        }
        return true;
    }

    private boolean isMarked(List<Path> files) {
        List<String> names =
                files.stream().map(file -> file.getFileName().toString()).toList();
        return names.contains(mark)
                && names.stream().anyMatch(name -> weights.matcher(name).matches());
    }

    /**
     * Puts a new model here in place of the old one.
     *
     * @param writer gets an empty directory; where it fails, the old model stays
     * @throws PrpfException 2 if something else than a model came to lie here meanwhile (the new model stays in {@code .NAME.partial}),
     *     69 if it cannot be written, or another process writes here at the same time
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
        Path beside = sibling(target, ".partial");
        delete(beside);
        Files.createDirectories(beside);
        write(beside, writer);
        isReplaceable();
        Path aside = sibling(target, PREVIOUS);
        delete(aside);
        if (Files.exists(target)) {
            AtomicFiles.move(target, aside);
        }
        AtomicFiles.move(beside, target);
        delete(aside);
    }

    private void write(Path beside, FailableConsumer<Path, IOException> writer) throws IOException {
        boolean whole = false;
        try {
            writer.accept(beside);
            for (Path file : list(beside)) {
                AtomicFiles.sync(file);
            }
            whole = true;
        } finally {
            if (!whole) {
                delete(beside);
            }
        }
    }

    /** Moves the old model back where a kill came before the new one moved in; a writer that is between the two moves is waited for. */
    public void recover() {
        IoFailure.whileWriting(path, () -> {
            Path target = target();
            while (isCutOff(target)) {
                locked(target, () -> restore(target));
            }
        });
    }

    /** Does it under the lock; false where somebody else holds that. */
    private static boolean locked(Path target, FailableRunnable<IOException> step) throws IOException {
        Path file = sibling(target, LOCK);
        try (LockFile lock = LockFile.tryTake(file)) {
            if (lock == null) {
                return false;
            }
            try {
                step.run();
            } finally {
                Files.deleteIfExists(file); // while the lock is held, so that nobody holds a file without a name
            }
            return true;
        }
    }

    private boolean isCutOff(Path target) {
        return !Files.exists(target) && Files.exists(sibling(target, PREVIOUS).resolve(mark));
    }

    private void restore(Path target) throws IOException {
        if (isCutOff(target)) {
            AtomicFiles.move(sibling(target, PREVIOUS), target);
            LOG.warn("{}: its replacement was cut off; the {} before is back in its place", path, what);
        }
    }

    /** The directory itself where the path is a link, which stays; found without the directory, which a writer may have moved aside. */
    private Path target() throws IOException {
        Path target = path.toAbsolutePath().normalize();
        for (int links = 0; links < MOST_LINKS && Files.isSymbolicLink(target); links++) {
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

    /** Deletes a directory of ours, its mark first: without it nobody takes the rest for a model. */
    private void delete(Path directory) throws IOException {
        Files.deleteIfExists(directory.resolve(mark));
        AtomicFiles.deleteTree(directory);
    }
}
