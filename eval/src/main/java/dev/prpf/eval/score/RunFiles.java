package dev.prpf.eval.score;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.run.RunDescription;
import dev.prpf.par.cascade.Cascade.ContextDimension;
import dev.prpf.par.prompt.PromptSettings.ScreenshotForm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * A set of predictions and, if known, the run that made it.
 *
 * @param predictions JSON Lines
 * @param run its {@code run.json}, or null
 */
public record RunFiles(Path predictions, @Nullable Path run) {
    /** The key of {@code eval merge} that holds the first shard's arguments. */
    public static final String RUN_ARGUMENTS = "run_arguments";

    /** The key of {@code eval run} that names inputs hidden from perceiver and reasoner. */
    public static final String WITHOUT = "without";

    private static final String PREDICTIONS = "predictions";
    private static final int SHOWN_DIGITS = 12;

    /**
     * Finds predictions and run of a path.
     *
     * @param path a run directory of {@code eval run} or {@code reasoner respond}, or a file of predictions, which may lie in one
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
                    + ": is not a run directory, it holds no run.json; name one of eval run, or a file of predictions");
        }
        Path predictions = path.resolve(JsonFile.object(run).path(PREDICTIONS).asText("predictions.jsonl"));
        if (!Files.isRegularFile(predictions)) {
            throw new InvalidDataException(path + ": its run of \""
                    + JsonFile.object(run).path("command").asText("?") + "\" has written no "
                    + predictions.getFileName() + "; name a run of eval run, or a file of predictions");
        }
        return new RunFiles(predictions, run);
    }

    /**
     * Checks that runs predicted the same samples, as far as they record their data.
     *
     * @throws PrpfException 65, naming each
     */
    public static void requireSameData(List<RunFiles> runs) {
        Map<String, String> data = new LinkedHashMap<>();
        runs.forEach(run -> {
            String sha256 = run.fact("data_sha256");
            if (sha256 != null) {
                data.put(run.predictions().toString(), sha256);
            }
        });
        if (new HashSet<>(data.values()).size() > 1) {
            throw new InvalidDataException("cannot compare runs over different data: "
                    + data.entrySet().stream()
                            .map(run -> run.getKey() + " is of samples with SHA-256 "
                                    + StringUtils.left(run.getValue(), SHOWN_DIGITS))
                            .collect(Collectors.joining(", "))
                    + "; the rule is that all runs predict the same file");
        }
    }

    private static boolean madeBy(Path run, Path predictions) {
        if (!Files.isRegularFile(run)) {
            return false;
        }
        String name = JsonFile.object(run).path(PREDICTIONS).asText("predictions.jsonl");
        return name.equals(String.valueOf(predictions.getFileName()));
    }

    /** Returns the value of a key in {@code run.json}, or null. */
    public @Nullable String fact(String key) {
        JsonNode value = run == null ? null : JsonFile.object(run).get(key);
        return value == null || !value.isTextual() ? null : value.textValue();
    }

    /**
     * Returns K, the number of likeliest scenarios that select the reasoner's functions; null for the whole pool or an unknown run.
     *
     * @throws PrpfException 65 if K in the resolved configuration is not a whole number
     */
    public @Nullable Integer shortlist() {
        Map<String, String> facts = Provenance.of(this).facts();
        if (run == null || !"true".equals(facts.get("config.compress"))) {
            return null;
        }
        String k = facts.getOrDefault("config.shortlist", "absent");
        if (!k.matches("[1-9][0-9]{0,8}")) {
            throw new InvalidDataException(run.resolveSibling("config.resolved.yaml") + ": shortlist = " + k
                    + ", must be a whole number of at least 1; restore the file");
        }
        return Integer.valueOf(k);
    }

    /**
     * Returns the form of screenshots in the reasoner's prompts; null if prompts had no images.
     *
     * @throws PrpfException 65 for an unknown form in {@code run.json}
     */
    public @Nullable ScreenshotForm screenshots() {
        String form = fact(RunDescription.PROMPT_SCREENSHOTS);
        if (form == null) {
            return null;
        }
        return Stream.of(ScreenshotForm.values())
                .filter(one -> EnumName.of(one).equals(form))
                .findFirst()
                .orElseThrow(() -> new InvalidDataException(run + ": " + RunDescription.PROMPT_SCREENSHOTS + " = \""
                        + form
                        + "\", must be one of "
                        + Stream.of(ScreenshotForm.values()).map(EnumName::of).collect(Collectors.joining(", "))
                        + "; restore the file"));
    }

    /** Returns whether the reasoner's prompts had the trace, which {@code --without trace} removes; true if the run does not say. */
    public boolean traced() {
        JsonNode without =
                run == null ? MissingNode.getInstance() : JsonFile.object(run).path(WITHOUT);
        return IntStream.range(0, without.size())
                .noneMatch(i -> without.get(i).asText().equals(EnumName.of(ContextDimension.TRACE)));
    }

    /** Returns an option's value at the start of the run (of the first shard, if merged), or null. */
    public @Nullable Path argument(String option) {
        JsonNode said = run == null ? MissingNode.getInstance() : JsonFile.object(run);
        JsonNode arguments = said.path(said.has(RUN_ARGUMENTS) ? RUN_ARGUMENTS : "arguments");
        for (int i = 0; i < arguments.size(); i++) {
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
