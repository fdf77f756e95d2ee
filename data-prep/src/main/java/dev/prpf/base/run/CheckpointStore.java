package dev.prpf.base.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.config.Rule;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.json.JsonRecords;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.commons.lang3.function.FailableConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpoints of one run: {@code step_N/} directories, each closed by a manifest of SHA-256 sums, and {@code latest}, a file that
 * names the newest. A checkpoint is written beside, fsynced and moved into place; old ones go only after.
 */
public final class CheckpointStore {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointStore.class);
    private static final String MANIFEST = "manifest.json";
    private static final String LATEST = "latest";
    private static final String PREFIX = "step_";

    private final Path directory;
    private final int keep;
    private final Runnable beforeVouching;

    /**
     * A checkpoint that passed its manifest.
     *
     * @param step the step it was taken after
     * @param directory where its files lie
     */
    public record Checkpoint(long step, Path directory) {}

    /**
     * @param directory made on the first save
     * @param keep how many of the newest stay, at least 1
     */
    public CheckpointStore(Path directory, int keep) {
        this(directory, keep, () -> {});
    }

    /** @param beforeVouching makes durable what stands outside the checkpoint and is as old */
    CheckpointStore(Path directory, int keep, Runnable beforeVouching) {
        Rule.require(keep >= 1, "keep", keep, "at least 1");
        this.directory = directory;
        this.keep = keep;
        this.beforeVouching = beforeVouching;
    }

    /**
     * Saves a checkpoint and removes those beyond the newest {@code keep}, and those of later steps: they are of a past that the run went
     * back from.
     *
     * @param writer writes the files into the empty directory that it is given
     * @return the checkpoint's directory
     */
    public Path save(long step, FailableConsumer<Path, IOException> writer) {
        Path target = directory.resolve(PREFIX + step);
        Path beside = directory.resolve(".partial_" + step);
        try {
            Files.createDirectories(directory);
            AtomicFiles.deleteTree(beside);
            Files.createDirectory(beside);
            writer.accept(beside);
            beforeVouching.run();
            writeManifest(beside);
            AtomicFiles.deleteTree(target);
            AtomicFiles.move(beside, target);
            AtomicFiles.writeText(directory.resolve(LATEST), target.getFileName() + "\n");
            removeOthers(step);
        } catch (IOException e) {
            throw IoFailure.writing(target, e);
        }
        return target;
    }

    /** The newest checkpoint that is whole, or null when there is none; warns of each newer one that is skipped. */
    public @Nullable Checkpoint latest() {
        for (Checkpoint candidate : newestFirst()) {
            String defect = defect(candidate.directory());
            if (defect == null) {
                return candidate;
            }
            LOG.warn("checkpoint {} is skipped: {}", candidate.directory(), defect);
        }
        return null;
    }

    /**
     * Returns the checkpoint that a run resumes from, as {@link #latest} finds it; null where the run has none.
     *
     * @throws PrpfException 65 if there are checkpoints and each is damaged: beginning again would drop what the run has logged
     */
    public @Nullable Checkpoint resumed() {
        Checkpoint newest = latest();
        List<Checkpoint> all = newestFirst();
        if (newest == null && !all.isEmpty()) {
            Path damaged = all.get(0).directory();
            throw new InvalidDataException(damaged + ": " + defect(damaged) + ", and no older checkpoint is whole;"
                    + " restore it from a copy, or remove " + directory + " to train from the beginning");
        }
        return newest;
    }

    /** What is wrong with a checkpoint directory, or null when it is whole: its manifest lists every file, and each has its sum. */
    public static @Nullable String defect(Path checkpoint) {
        Path manifest = checkpoint.resolve(MANIFEST);
        if (!Files.isRegularFile(manifest)) {
            return "it has no " + MANIFEST;
        }
        try {
            JsonNode sums = JsonFile.read(manifest);
            if (!sums.isObject() || sums.isEmpty()) {
                return MANIFEST + " lists no file";
            }
            for (Map.Entry<String, JsonNode> entry : sums.properties()) {
                Path file = checkpoint.resolve(entry.getKey());
                if (!Files.isRegularFile(file)) {
                    return "file " + entry.getKey() + " is missing";
                }
                if (!AtomicFiles.sha256(file).equals(entry.getValue().asText())) {
                    return "file " + entry.getKey() + " differs from its sum in " + MANIFEST;
                }
            }
            return unlisted(checkpoint, sums);
        } catch (InvalidDataException | UncheckedIOException e) {
            return MANIFEST + " cannot be read: " + e.getMessage();
        }
    }

    /** The manifest's absence of a file that lies there: its content is vouched for by nothing. */
    private static @Nullable String unlisted(Path checkpoint, JsonNode sums) {
        for (Path file : files(checkpoint)) {
            String name = checkpoint.relativize(file).toString();
            if (!name.equals(MANIFEST) && !sums.has(name)) {
                return "file " + name + " is not listed in " + MANIFEST;
            }
        }
        return null;
    }

    private static List<Path> files(Path checkpoint) {
        return IoFailure.whileReading("cannot list " + checkpoint, () -> {
            try (Stream<Path> files = Files.walk(checkpoint)) {
                return files.filter(Files::isRegularFile).sorted().toList();
            }
        });
    }

    private List<Checkpoint> newestFirst() {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        return IoFailure.whileReading("cannot list " + directory, () -> {
            try (Stream<Path> children = Files.list(directory)) {
                return children.filter(p -> p.getFileName().toString().matches(PREFIX + "\\d+"))
                        .map(p -> new Checkpoint(
                                Long.parseLong(p.getFileName().toString().substring(PREFIX.length())), p))
                        .sorted(Comparator.comparingLong(Checkpoint::step).reversed())
                        .toList();
            }
        });
    }

    private void removeOthers(long saved) throws IOException {
        int kept = 0;
        for (Checkpoint found : newestFirst()) {
            if (found.step() > saved || ++kept > keep) {
                AtomicFiles.deleteTree(found.directory());
            }
        }
    }

    private static void writeManifest(Path checkpoint) throws IOException {
        Map<String, String> sums = new TreeMap<>();
        for (Path file : files(checkpoint)) {
            AtomicFiles.sync(file);
            sums.put(checkpoint.relativize(file).toString(), AtomicFiles.sha256(file));
        }
        AtomicFiles.writeText(checkpoint.resolve(MANIFEST), JsonRecords.write(sums));
    }
}
