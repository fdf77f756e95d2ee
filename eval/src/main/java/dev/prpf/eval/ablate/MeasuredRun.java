package dev.prpf.eval.ablate;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.LockFile;
import dev.prpf.base.run.RunDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The run directory of an {@code eval run} with measured costs. A stopped run starts again from the beginning, since contents encoded before
 * would cost nothing. A run that finished after the ablation's process ended is kept.
 */
public record MeasuredRun(Path directory) {
    private static final String LOCK = "run.lock";

    /**
     * Clears the directory, unless the run is finished or another process still writes it; its command then fails.
     *
     * @return the seconds of a finished run; null for a run still to start
     * @throws PrpfException 69 if the directory cannot be cleared
     */
    public @Nullable Double secondsOrCleared() {
        if (!Files.isDirectory(directory)) {
            return null;
        }
        try (LockFile lock = LockFile.tryTake(directory.resolve(LOCK))) {
            if (lock == null) {
                return null;
            }
            JsonNode result = RunDirectory.result(directory);
            if (!result.isMissingNode()) {
                return result.path("seconds").asDouble();
            }
            clear();
            return null;
        }
    }

    /** Deletes all files except the lock, which is held. */
    private void clear() {
        IoFailure.whileWriting(directory, () -> {
            try (Stream<Path> files = Files.list(directory)) {
                for (Path file : files.filter(one -> !one.endsWith(LOCK)).toList()) {
                    AtomicFiles.deleteTree(file);
                }
            }
        });
    }
}
