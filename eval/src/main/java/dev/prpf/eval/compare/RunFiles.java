package dev.prpf.eval.compare;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.JsonFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A set of predictions and, where it is known, the run that made it.
 *
 * @param predictions JSON Lines
 * @param run its {@code run.json}, or null
 */
public record RunFiles(Path predictions, @Nullable Path run) {
    private static final String PREDICTIONS = "predictions";

    /**
     * Finds both.
     *
     * @param path a run directory of {@code eval run} or {@code par respond}, or a file of predictions, which may lie in one
     * @throws PrpfException 65 for a folder without {@code run.json} or without predictions
     */
    public static RunFiles of(Path path) {
        if (!Files.isDirectory(path)) {
            Path run = path.resolveSibling("run.json");
            return new RunFiles(path, madeBy(run, path) ? run : null);
        }
        Path run = path.resolve("run.json");
        if (!Files.isRegularFile(run)) {
            throw new InvalidDataException(path
                    + ": is no run directory, it holds no run.json; name one of eval run, or a file of predictions");
        }
        Path predictions = path.resolve(JsonFile.object(run).path(PREDICTIONS).asText("predictions.jsonl"));
        if (!Files.isRegularFile(predictions)) {
            throw new InvalidDataException(path + ": its run of \""
                    + JsonFile.object(run).path("command").asText("?") + "\" has written no "
                    + predictions.getFileName() + "; name a run of eval run, or a file of predictions");
        }
        return new RunFiles(predictions, run);
    }

    private static boolean madeBy(Path run, Path predictions) {
        if (!Files.isRegularFile(run)) {
            return false;
        }
        String name = JsonFile.object(run).path(PREDICTIONS).asText("predictions.jsonl");
        return name.equals(String.valueOf(predictions.getFileName()));
    }

    /** What {@code run.json} says at a key, or null. */
    public @Nullable String fact(String key) {
        JsonNode value = run == null ? null : JsonFile.object(run).get(key);
        return value == null || !value.isTextual() ? null : value.textValue();
    }

    /** The value that an option had when the run was begun, or null. */
    public @Nullable Path argument(String option) {
        JsonNode arguments = run == null ? null : JsonFile.object(run).get("arguments");
        for (int i = 0; arguments != null && i < arguments.size(); i++) {
            String argument = arguments.get(i).asText();
            if (argument.startsWith(option + "=")) {
                return Path.of(argument.substring(option.length() + 1));
            }
            if (argument.equals(option) && i + 1 < arguments.size()) {
                return Path.of(arguments.get(i + 1).asText());
            }
        }
        return null;
    }
}
