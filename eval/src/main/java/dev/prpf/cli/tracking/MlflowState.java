package dev.prpf.cli.tracking;

import dev.prpf.base.files.JsonFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The MLflow run that a run's folder was sent to, kept as {@code tracking/mlflow.json}.
 *
 * @param uri of the server
 * @param lines number of lines of {@code metrics.jsonl} that the server acknowledged
 * @param step of the last acknowledged line
 */
record MlflowState(String uri, String experimentId, String runId, int lines, long step) {
    static Path file(Path run) {
        return run.resolve("tracking").resolve("mlflow.json");
    }

    /** Reads the state of a run; null if it was never sent. */
    static @Nullable MlflowState read(Path run) {
        Path file = file(run);
        return Files.isRegularFile(file) ? JsonFile.record(file, "state of tracking", MlflowState.class) : null;
    }

    MlflowState write(Path run) {
        JsonFile.write(file(run), this);
        return this;
    }

    /** Returns the address of the run's page. */
    String page() {
        return uri + "/#/experiments/" + experimentId + "/runs/" + runId;
    }
}
