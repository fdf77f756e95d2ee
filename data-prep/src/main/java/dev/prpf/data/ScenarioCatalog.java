package dev.prpf.data;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The intent scenarios, in the order of the perceiver's outputs, and the map from function to scenario.
 * {@link dev.prpf.data.io.ScenarioCatalogReader} reads it from a file.
 */
public final class ScenarioCatalog implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The scenario of a sample without a scenario. */
    public static final String NONE = "none";

    @SuppressWarnings("serial") // a serializable list
    private final List<Scenario> scenarios;

    @SuppressWarnings("serial") // a serializable map
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

    /** Returns the map from function to scenario, sorted by function. */
    public Map<String, String> functions() {
        return new TreeMap<>(scenarioOfFunction);
    }

    /** Returns the scenario of a function, or null if the map lacks it. */
    public @Nullable String scenarioOf(String function) {
        return scenarioOfFunction.get(function);
    }

    /** Returns the record's own scenario, else that of its first valid call, else {@link #NONE}. */
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

    /** Returns the multi-hot label y_scenario of PRPF eq. 11: the scenarios of all valid calls, shape (size()). */
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

    /** Returns the pool's functions of the given scenarios, in the pool's order. */
    public List<FunctionSpec> functionsOf(Set<String> wanted, FunctionPool pool) {
        return pool.functions().stream()
                .filter(function -> wanted.contains(scenarioOfFunction.getOrDefault(function.name(), NONE)))
                .toList();
    }

    /** Returns the pool's functions that the map lacks. */
    public List<String> missing(FunctionPool pool) {
        return pool.names().stream()
                .filter(name -> !scenarioOfFunction.containsKey(name))
                .toList();
    }

    /** Returns the pool's functions by scenario, in catalogue order. */
    public Map<String, List<FunctionSpec>> blocks(FunctionPool pool) {
        Map<String, List<FunctionSpec>> blocks = new LinkedHashMap<>();
        names().forEach(name -> blocks.put(name, functionsOf(Set.of(name), pool)));
        return blocks;
    }

    /**
     * An intent scenario of the catalogue.
     *
     * @param name the English name, which identifies it in files and reports ({@code Food & Dining})
     * @param chinese the name in Chinese prompts; the English name if the file has no other
     */
    public record Scenario(String name, String chinese) implements Serializable {}
}
