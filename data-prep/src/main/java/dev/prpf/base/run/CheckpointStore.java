package dev.prpf.base.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
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
 * The checkpoints of one run: {@code step_N/} directories, each with a manifest of SHA-256 sums, and {@code latest}, a file that
 * names the newest. A checkpoint is written to a temporary directory, fsynced and renamed; only then are old ones deleted.
 */
public final class CheckpointStore {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointStore.class);
    private static final String MANIFEST = "manifest.json";
    private static final String LATEST = "latest";
    private static final String PREFIX = "step_";

    private final Path directory;
    private final int keep;
    private final Runnable beforeManifest;

    /**
     * A checkpoint that passed its manifest.
     *
     * @param step the step after which it was saved
     * @param directory the directory of its files
     */
    public record Checkpoint(long step, Path directory) {}

    /**
     * @param directory created by the first save
     * @param keep number of newest checkpoints to keep, at least 1
     */
    public CheckpointStore(Path directory, int keep) {
        this(directory, keep, () -> {});
    }

    /** @param beforeManifest syncs files outside the checkpoint that belong to the same step */
    CheckpointStore(Path directory, int keep, Runnable beforeManifest) {
        Rule.require(keep >= 1, "keep", keep, "at least 1");
        this.directory = directory;
        this.keep = keep;
        this.beforeManifest = beforeManifest;
    }

    /**
     * Saves a checkpoint of a step. Removes those beyond the newest {@code keep}, and those of later steps, which a rewound run
     * left.
     *
     * @param writer writes the files into an empty directory
     * @return the checkpoint's directory
     */
    public Path save(long step, FailableConsumer<Path, IOException> writer) {
        Path target = directory.resolve(PREFIX + step);
        Path partial = directory.resolve(".partial_" + step);
        try {
            Files.createDirectories(directory);
            AtomicFiles.deleteTree(partial);
            Files.createDirectory(partial);
            writer.accept(partial);
            beforeManifest.run();
            writeManifest(partial);
            AtomicFiles.deleteTree(target);
            AtomicFiles.move(partial, target);
            AtomicFiles.writeText(directory.resolve(LATEST), target.getFileName() + "\n");
            removeOthers(step);
        } catch (IOException e) {
            throw IoFailure.writing(target, e);
        }
        return target;
    }

    /** Returns the newest intact checkpoint, or null; logs a warning for each damaged one that is skipped. */
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
     * Returns the checkpoint from which a run resumes, found by {@link #latest}; null if the run has none.
     *
     * @throws PrpfException 65 if all checkpoints are damaged: starting again would drop the run's logs
     */
    public @Nullable Checkpoint resumed() {
        Checkpoint newest = latest();
        List<Checkpoint> all = newestFirst();
        if (newest == null && !all.isEmpty()) {
            Path damaged = all.get(0).directory();
            throw new InvalidDataException(damaged + ": " + defect(damaged) + ", and no older checkpoint is intact;"
                    + " restore it from a copy, or remove " + directory + " to train from the beginning");
        }
        return newest;
    }

    /** Returns the defect of a checkpoint directory; null if its manifest lists every file with the right checksum. */
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

    /** Returns a defect if the manifest lacks one of the files, since its content cannot be verified. */
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
