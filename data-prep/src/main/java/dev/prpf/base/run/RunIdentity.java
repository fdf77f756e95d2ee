package dev.prpf.base.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which run a {@code run.json} describes: the command and its facts, which must be equal for a run to go on. */
final class RunIdentity {
    /** Keys that say how a run went, not which it is. */
    private static final Set<String> COURSE =
            Set.of("arguments", "state", "started", "resumed", "stopped", "failure", "finished", "versions", "result");

    private RunIdentity() {}

    /**
     * Compares by key; a fact on one side only is a difference.
     *
     * @throws PrpfException 78 naming every difference
     */
    static void requireSame(JsonNode before, JsonNode now, Path directory) {
        String differences = Stream.concat(before.properties().stream(), now.properties().stream())
                .map(Map.Entry::getKey)
                .filter(key -> !COURSE.contains(key) && !before.path(key).equals(now.path(key)))
                .sorted()
                .distinct()
                .map(key -> key + " was " + shown(before.path(key)) + " and now is " + shown(now.path(key)))
                .collect(Collectors.joining(", "));
        if (!differences.isEmpty()) {
            throw new InvalidConfigurationException(
                    directory + ": holds a run whose " + differences + "; name another --run-dir");
        }
    }

    private static String shown(JsonNode value) {
        return value.isMissingNode() ? "absent" : value.toString();
    }
}
