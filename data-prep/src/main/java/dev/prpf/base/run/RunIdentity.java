package dev.prpf.base.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which run a {@code run.json} tells of: what must be equal for a run to go on.
 *
 * @param facts the command and its facts, by key
 */
record RunIdentity(Map<String, JsonNode> facts) {
    /** Keys that say how a run went, not which it is. */
    private static final Set<String> COURSE =
            Set.of("arguments", "state", "started", "resumed", "stopped", "failure", "finished", "versions", "result");

    static RunIdentity of(JsonNode run) {
        Map<String, JsonNode> facts = new TreeMap<>();
        run.properties().forEach(entry -> facts.put(entry.getKey(), entry.getValue()));
        facts.keySet().removeAll(COURSE);
        return new RunIdentity(facts);
    }

    /**
     * Compares by key; a fact on one side only is a difference.
     *
     * @throws PrpfException 78 naming every difference
     */
    void requireSame(RunIdentity now, Path directory) {
        Set<String> keys = new TreeSet<>(facts.keySet());
        keys.addAll(now.facts.keySet());
        String differences = keys.stream()
                .filter(key -> !Objects.equals(facts.get(key), now.facts.get(key)))
                .map(key -> key + " was " + shown(facts.get(key)) + " and now is " + shown(now.facts.get(key)))
                .collect(Collectors.joining(", "));
        if (!differences.isEmpty()) {
            throw new InvalidConfigurationException(
                    directory + ": holds a run whose " + differences + "; name another --run-dir");
        }
    }

    private static String shown(@Nullable JsonNode value) {
        return value == null ? "absent" : value.toString();
    }
}
