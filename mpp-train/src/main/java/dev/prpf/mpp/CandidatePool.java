package dev.prpf.mpp;

import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.ScenarioCatalog;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * The functions that the reasoner may call for a sample (the compressed set F~ of PRPF §3.3).
 *
 * @param scenarios the included scenarios, most probable first; empty without compression
 * @param functions in the pool's order
 */
public record CandidatePool(List<String> scenarios, List<FunctionSpec> functions) {
    /**
     * Returns the functions of the perception's top-k scenarios with p above 0; without any such scenario, the whole pool. Only perceivers
     * without scenarios, such as a function-calling model, give p = 0 everywhere.
     */
    public static CandidatePool ofTop(int k, Perception perception, FunctionPool pool, ScenarioCatalog catalog) {
        List<String> top = perception.top(k).stream()
                .filter(scenario -> perception.scenarios().getOrDefault(scenario, 0.0) > 0)
                .toList();
        return top.isEmpty()
                ? whole(pool)
                : new CandidatePool(top, catalog.functionsOf(new LinkedHashSet<>(top), pool));
    }

    /** Returns the whole pool, without compression. */
    public static CandidatePool whole(FunctionPool pool) {
        return new CandidatePool(List.of(), List.copyOf(pool.functions()));
    }
}
