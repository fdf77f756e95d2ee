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
 * The directory of a run whose costs are measured. Where it was stopped it begins anew, since what it had encoded before would cost
 * nothing; but one whose process outlived the ablation's, and came to its end, is kept.
 */
public record MeasuredRun(Path directory) {
    private static final String LOCK = "run.lock";

    /**
     * Clears the directory, unless the run came to its end or another process still writes it, which its command will say.
     *
     * @return the seconds of a run that came to its end; null for one that is still to run
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

    /** The lock stays, for it is held. */
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
