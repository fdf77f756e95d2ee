package dev.prpf.mpp.run;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.prpf.base.config.Rule;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.ScenarioCatalog;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The number of the pool's functions in each scenario. Every function has one scenario, so a candidate pool's size is the sum over its
 * scenarios.
 *
 * @param functions scenario name to number of functions, in catalogue order
 */
public record PoolSizes(@JsonValue Map<String, Integer> functions) {
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public PoolSizes {
        Rule.require(!functions.isEmpty(), "scenarios", functions.size(), "at least 1");
        functions.forEach((scenario, size) ->
                Rule.require(size != null && size >= 0, scenario, size, "a number of functions, at least 0"));
        functions = Collections.unmodifiableMap(new LinkedHashMap<>(functions));
    }

    public static PoolSizes of(FunctionPool pool, ScenarioCatalog catalog) {
        Map<String, Integer> sizes = new LinkedHashMap<>();
        catalog.blocks(pool).forEach((scenario, functions) -> sizes.put(scenario, functions.size()));
        return new PoolSizes(sizes);
    }

    /** Number of functions of the whole pool. */
    public int whole() {
        return size(functions.keySet());
    }

    /** Number of functions of the candidate pool of these scenarios. */
    public int size(Collection<String> scenarios) {
        return scenarios.stream()
                .mapToInt(name -> functions.getOrDefault(name, 0))
                .sum();
    }
}
