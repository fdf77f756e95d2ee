package dev.prpf.base.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.json.JsonRecords;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The command, configuration and facts of a run, by which it is reproduced and resumed.
 *
 * @param command the command, "gate train"
 * @param arguments as given on the command line
 * @param resolvedConfig the configuration after overrides, YAML
 * @param facts data hashes, seeds, device and whatever else the command records
 */
public record RunDescription(String command, List<String> arguments, String resolvedConfig, Map<String, Object> facts) {
    /** The fact with the screenshot mode of prompts. */
    public static final String PROMPT_SCREENSHOTS = "prompt_screenshots";

    private static final int SHOWN = 12; // characters of a hash

    /** Keys that describe a run's progress, not its identity. */
    private static final Set<String> COURSE =
            Set.of("arguments", "state", "started", "resumed", "stopped", "failure", "finished", "versions", "result");

    public RunDescription {
        arguments = List.copyOf(arguments);
        facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
    }

    /** Reads the description from {@code run.json}; facts stay JSON. */
    public static RunDescription of(JsonNode run, String resolvedConfig) {
        Map<String, Object> facts = new LinkedHashMap<>();
        run.properties().stream()
                .filter(entry ->
                        !COURSE.contains(entry.getKey()) && !entry.getKey().equals("command"))
                .forEach(entry -> facts.put(entry.getKey(), entry.getValue()));
        List<String> arguments = new ArrayList<>();
        run.path("arguments").forEach(argument -> arguments.add(argument.asText()));
        return new RunDescription(run.path("command").asText(), arguments, resolvedConfig, facts);
    }

    /** Returns the initial {@code run.json}. */
    ObjectNode json() {
        ObjectNode run = JsonNodeFactory.instance.objectNode();
        run.put("command", command);
        run.set("arguments", JsonRecords.tree(arguments));
        facts.forEach((key, value) -> run.set(key, JsonRecords.tree(value)));
        return run;
    }

    /**
     * Requires two {@code run.json} to describe the same run: the command and all facts must be equal.
     *
     * @throws PrpfException 78 naming every difference
     */
    static void requireSame(JsonNode before, JsonNode now, Path directory) {
        String differences = Stream.concat(before.properties().stream(), now.properties().stream())
                .map(Map.Entry::getKey)
                .filter(key -> !COURSE.contains(key) && !before.path(key).equals(now.path(key)))
                .sorted()
                .distinct()
                .map(key -> difference(key, before.path(key), now.path(key)))
                .collect(Collectors.joining(", "));
        if (!differences.isEmpty()) {
            throw new InvalidConfigurationException(
                    directory + ": holds a run whose " + differences + "; name another --run-dir");
        }
    }

    private static String difference(String key, JsonNode before, JsonNode now) {
        return isHash(before) && isHash(now)
                ? key.replaceFirst("_sha256$", "") + " content has changed (SHA-256 "
                        + before.textValue().substring(0, SHOWN) + ", now "
                        + now.textValue().substring(0, SHOWN) + ")"
                : key + " was " + shown(before) + " and now is " + shown(now);
    }

    private static boolean isHash(JsonNode value) {
        return value.isTextual() && value.textValue().matches("[0-9a-f]{64}");
    }

    private static String shown(JsonNode value) {
        return value.isMissingNode() ? "absent" : value.toString();
    }
}
