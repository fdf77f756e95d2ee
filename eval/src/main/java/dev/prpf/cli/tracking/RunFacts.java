package dev.prpf.cli.tracking;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunOverview.State;
import dev.prpf.base.workflow.Stage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the facts of a run that trackers receive: parameters, provenance, figures and documents.
 *
 * @param json {@code run.json}
 * @param config {@code config.resolved.yaml}
 */
record RunFacts(Path directory, State state, ObjectNode json, String config) {
    private static final YAMLMapper YAML = new YAMLMapper();
    /** File of {@code eval score}, from which figures are sent. */
    private static final String SCORES = "report.json";

    private static final List<String> SCORED = List.of("overall", "gate");

    /**
     * Reads the facts of a run.
     *
     * @param known state of the run; null to take the state of {@code run.json}
     * @throws PrpfException 65 if they cannot be read
     */
    static RunFacts read(Path directory, @Nullable State known) {
        ObjectNode json = JsonFile.object(directory.resolve(RunDirectory.RUN));
        Path config = directory.resolve(RunDirectory.CONFIG);
        String text = IoFailure.whileReading("cannot read " + config, () -> Files.readString(config));
        return new RunFacts(directory, Objects.requireNonNullElseGet(known, () -> state(json)), json, text);
    }

    private static State state(ObjectNode json) {
        return switch (json.path("state").asText()) {
            case "running" -> State.RUNNING;
            case "stopped" -> State.INTERRUPTED;
            case "failed" -> State.FAILED;
            case "done" -> State.DONE;
            default -> State.BROKEN;
        };
    }

    Instant started() {
        return Instant.parse(json.path("started").asText());
    }

    /** Returns the time of its end or stop; the current time if its files have none. */
    Instant ended() {
        return Stream.of("finished", "stopped")
                .map(key -> json.path(key).asText())
                .filter(time -> !time.isEmpty())
                .findFirst()
                .map(Instant::parse)
                .orElseGet(Instant::now);
    }

    /** Returns the command, such as {@code reasoner sft}. */
    String command() {
        return description().command();
    }

    private RunDescription description() {
        return RunDescription.of(json, config);
    }

    /** Returns the configuration by full key; a list is one value. */
    Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        try {
            JsonRecords.texts("", YAML.readTree(config), parameters);
        } catch (JsonProcessingException e) {
            throw new InvalidDataException(
                    directory.resolve(RunDirectory.CONFIG) + ": cannot be read as YAML: " + e.getOriginalMessage(), e);
        }
        return parameters;
    }

    /** Returns command, versions, revision and the recorded facts: data hashes, seeds, device and others. */
    Map<String, String> provenance() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("command", command());
        facts.put("command_line", Stage.typed(description().arguments()));
        facts.put("run", directory.toAbsolutePath().normalize().toString());
        description().facts().forEach((key, value) -> JsonRecords.texts(key, (JsonNode) value, facts));
        JsonRecords.texts("versions", json.path("versions"), facts);
        return facts;
    }

    /** Returns the reason why it failed; null if it did not. */
    @Nullable
    String failure() {
        return state == State.FAILED ? json.path("failure").asText() : null;
    }

    /** Returns the numbers of its result, and of scores in its folder. */
    Map<String, Double> figures() {
        Map<String, Double> figures = new LinkedHashMap<>();
        MetricLine.numbers(json.path("result")).forEach((name, value) -> figures.put("result/" + name, value));
        Path scores = directory.resolve(SCORES);
        if (Files.isRegularFile(scores)) {
            JsonNode scored = JsonFile.read(scores);
            SCORED.forEach(part -> MetricLine.numbers(scored.path(part))
                    .forEach((name, value) -> figures.put(part + "/" + name, value)));
        }
        return figures;
    }

    List<Path> documents() {
        return Stream.of(RunDirectory.CONFIG, RunDirectory.RUN, "report.html")
                .map(directory::resolve)
                .filter(Files::isRegularFile)
                .toList();
    }
}
