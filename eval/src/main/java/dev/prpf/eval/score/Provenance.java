package dev.prpf.eval.score;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.report.Shown;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * Origin of a set of predictions: {@code run.json}, its resolved configuration and the prompt hash of the model it names. Empty if no run is
 * known.
 *
 * @param facts by key, settings of the configuration with their path
 */
public record Provenance(Map<String, String> facts) {
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    /** Keys on the course of a run or the paths of its files, not on its content. */
    private static final Set<String> COURSE = Set.of(StringUtils.split(
            """
            arguments shards state started resumed stopped failure finished result predictions command"""
                    + " " + RunFiles.RUN_ARGUMENTS));

    /** The part of a run that a fact describes. */
    public enum Kind implements Labelled {
        DATA,
        PROMPTS,
        WEIGHTS,
        SETTINGS,
        PROGRAM;

        static Kind of(String key) {
            if (key.startsWith("versions.")) {
                return PROGRAM;
            }
            if (key.contains("prompt")) {
                return PROMPTS;
            }
            if (Stream.of("data", "pool", "scenarios", "images", "examples").anyMatch(key::startsWith)) {
                return DATA;
            }
            return Set.of("gate_sha256", "model_sha256", "perceiver_model_sha256", "model", "perceiver", "reasoner")
                            .contains(key)
                    ? WEIGHTS
                    : SETTINGS;
        }
    }

    /**
     * A fact that differs between runs.
     *
     * @param kind the subject
     * @param fact its key
     * @param values by run, in order; null if the run does not record it
     */
    public record Difference(Kind kind, String fact, Map<String, @Nullable String> values) {
        /** Formats a run's value: a hash by its first digits, a missing fact as a dash. */
        public String shown(String run) {
            String value = values.get(run);
            if (value == null) {
                return Shown.NONE;
            }
            return value.matches("[0-9a-f]{40,}") ? value.substring(0, 12) + "…" : value;
        }
    }

    /** Reads the origin of these predictions. */
    public static Provenance of(RunFiles files) {
        Path run = files.run();
        if (run == null) {
            return new Provenance(Map.of());
        }
        Map<String, String> facts = new LinkedHashMap<>();
        JsonFile.object(run).properties().stream()
                .filter(fact -> !COURSE.contains(fact.getKey()))
                .forEach(fact -> JsonRecords.texts(fact.getKey(), fact.getValue(), facts));
        Path config = run.resolveSibling("config.resolved.yaml");
        if (Files.isRegularFile(config)) {
            JsonRecords.texts("config", yaml(config), facts);
        }
        Path model = files.argument("--reasoner");
        if (model != null && Files.isRegularFile(model.resolve("prpf.json"))) {
            JsonNode hash = JsonFile.object(model.resolve("prpf.json")).path("prompt_hash");
            if (hash.isTextual()) {
                facts.putIfAbsent("prompt_hash", hash.textValue());
            }
        }
        return new Provenance(facts);
    }

    /** Describes a file for reports by its path and hash; a pipe, which can be read once, by its path. */
    public static String describe(Path file) {
        return Files.isRegularFile(file)
                ? file + "\nsha256 " + AtomicFiles.sha256(file)
                : file + " (a pipe, which can be read once)";
    }

    private static JsonNode yaml(Path file) {
        String text = IoFailure.whileReading("cannot read " + file, () -> Files.readString(file));
        try {
            return YAML.readTree(text);
        } catch (JsonProcessingException e) {
            throw new InvalidDataException(file + ": is not a configuration: " + e.getOriginalMessage());
        }
    }

    /**
     * Returns the differences between runs, data first. Runs without known facts are excluded.
     *
     * @param runs by name
     */
    public static List<Difference> differences(Map<String, Provenance> runs) {
        Map<String, Provenance> known = new LinkedHashMap<>(runs);
        known.values().removeIf(provenance -> provenance.facts().isEmpty());
        Set<String> keys = new LinkedHashSet<>();
        known.values().forEach(provenance -> keys.addAll(provenance.facts().keySet()));
        return keys.stream()
                .map(key -> {
                    Map<String, @Nullable String> values = new LinkedHashMap<>();
                    known.forEach((name, provenance) ->
                            values.put(name, provenance.facts().get(key)));
                    return new Difference(Kind.of(key), key, values);
                })
                .filter(difference ->
                        difference.values().values().stream().distinct().count() > 1)
                .sorted((a, b) -> a.kind() == b.kind()
                        ? a.fact().compareTo(b.fact())
                        : a.kind().compareTo(b.kind()))
                .toList();
    }
}
