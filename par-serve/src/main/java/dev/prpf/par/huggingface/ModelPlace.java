package dev.prpf.par.huggingface;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.run.CheckpointStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory that one model, or the adapters of one, has for itself. A new model takes the place whole: it is written to {@code
 * .NAME.partial}, the old one steps aside to {@code .NAME.previous}, the new one moves in, the old one is deleted. Whatever a kill leaves, the
 * place or {@code .NAME.previous} holds a whole model, and {@link #recover} moves it back.
 */
public final class ModelPlace {
    private static final Logger LOG = LoggerFactory.getLogger(ModelPlace.class);

    /** The files that transformers, PEFT and this project keep with a model. */
    private static final Pattern OF_A_MODEL = Pattern.compile(
            "(config|generation_config|prpf|tokenizer|tokenizer_config|special_tokens_map|added_tokens|vocab"
                    + "|adapter_config)\\.json|merges\\.txt|chat_template\\.jinja"
                    + "|(model|adapter_model).*\\.safetensors(\\.index\\.json)?");

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
     *     69 if it cannot be written
     */
    public void replace(CheckpointStore.Writer writer) {
        try {
            Path target = target();
            Path beside = sibling(target, ".partial");
            delete(beside);
            Files.createDirectories(beside);
            write(beside, writer);
            requireReplaceable();
            Path aside = sibling(target, ".previous");
            delete(aside);
            if (Files.exists(target)) {
                AtomicFiles.move(target, aside);
            }
            AtomicFiles.move(beside, target);
            delete(aside);
        } catch (IOException e) {
            throw IoFailure.writing(path, e);
        }
    }

    private void write(Path beside, CheckpointStore.Writer writer) throws IOException {
        boolean whole = false;
        try {
            writer.write(beside);
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

    /** Moves the old model back where a kill came before the new one moved in. */
    public void recover() {
        if (Files.exists(path)) {
            return;
        }
        try {
            Path aside = sibling(target(), ".previous");
            if (Files.exists(aside.resolve(mark))) {
                AtomicFiles.move(aside, target());
                LOG.warn("{}: its replacement was cut off; the {} before is back in its place", path, what);
            }
        } catch (IOException e) {
            throw IoFailure.writing(path, e);
        }
    }

    /** The directory itself where the path is a link, which stays. */
    private Path target() throws IOException {
        if (Files.exists(path)) {
            return path.toRealPath();
        }
        Path absolute = path.toAbsolutePath().normalize();
        return Files.isSymbolicLink(absolute) ? absolute.resolveSibling(Files.readSymbolicLink(absolute)) : absolute;
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
