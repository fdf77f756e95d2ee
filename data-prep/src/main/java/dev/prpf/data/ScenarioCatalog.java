package dev.prpf.data;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The intent scenarios in their fixed order (the order of the perceiver's outputs) and the map function to scenario. Data, not an
 * enum: read from a file by {@link dev.prpf.data.io.ScenarioCatalogReader}.
 */
public final class ScenarioCatalog implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The scenario of a sample that belongs to none. */
    public static final String NONE = "none";

    @SuppressWarnings("serial") // a list of the JDK's own
    private final List<Scenario> scenarios;

    @SuppressWarnings("serial") // a map of the JDK's own
    private final Map<String, String> scenarioOfFunction;

    /**
     * @param scenarios in output order
     * @param scenarioOfFunction function name to scenario name
     * @throws IllegalArgumentException if a function maps to a scenario that is not listed
     */
    public ScenarioCatalog(List<Scenario> scenarios, Map<String, String> scenarioOfFunction) {
        this.scenarios = List.copyOf(scenarios);
        this.scenarioOfFunction = Map.copyOf(scenarioOfFunction);
        Set<String> known = new LinkedHashSet<>(names());
        this.scenarioOfFunction.forEach((function, scenario) -> {
            if (!known.contains(scenario)) {
                throw new IllegalArgumentException(
                        "function " + function + " maps to scenario \"" + scenario + "\", known are " + known);
            }
        });
    }

    public List<Scenario> scenarios() {
        return scenarios;
    }

    public List<String> names() {
        return scenarios.stream().map(Scenario::name).toList();
    }

    public int size() {
        return scenarios.size();
    }

    /** The scenario of a function, or null when the map does not have it. */
    public @Nullable String scenarioOf(String function) {
        return scenarioOfFunction.get(function);
    }

    /** The record's own scenario where it stands, else the first valid call's, else {@link #NONE}. */
    public String scenarioOf(Sample sample) {
        if (sample.scenario() != null || !sample.labelled()) {
            return Objects.requireNonNullElse(sample.scenario(), NONE);
        }
        return sample.validSequences().stream()
                .flatMap(List::stream)
                .findFirst()
                .map(call -> scenarioOfFunction.getOrDefault(call.name(), NONE))
                .orElse(NONE);
    }

    /** The multi-hot label y_scenario of PRPF eq. 11: the scenarios of the calls of all valid answers, shape (size()). */
    public float[] labelsOf(Sample sample) {
        float[] labels = new float[size()];
        List<String> names = names();
        sample.validSequences().stream()
                .flatMap(List::stream)
                .map(call -> scenarioOfFunction.get(call.name()))
                .filter(Objects::nonNull)
                .forEach(scenario -> labels[names.indexOf(scenario)] = 1f);
        return labels;
    }

    /** The pool's functions that belong to one of the scenarios, in the pool's order. */
    public List<FunctionSpec> functionsOf(Set<String> wanted, FunctionPool pool) {
        return pool.functions().stream()
                .filter(function -> wanted.contains(scenarioOfFunction.getOrDefault(function.name(), NONE)))
                .toList();
    }

    /** The pool's functions that the map lacks; empty when the map is complete. */
    public List<String> missing(FunctionPool pool) {
        return pool.names().stream()
                .filter(name -> !scenarioOfFunction.containsKey(name))
                .toList();
    }

    /** Scenario to its functions of the pool, in catalogue order. */
    public Map<String, List<FunctionSpec>> blocks(FunctionPool pool) {
        Map<String, List<FunctionSpec>> blocks = new LinkedHashMap<>();
        names().forEach(name -> blocks.put(name, functionsOf(Set.of(name), pool)));
        return blocks;
    }
}
