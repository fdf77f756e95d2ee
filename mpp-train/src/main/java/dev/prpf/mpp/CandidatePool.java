package dev.prpf.mpp;

import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.ScenarioCatalog;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * The functions left for the reasoner (the compressed set F~ of PRPF §3.3).
 *
 * @param scenarios the scenarios kept, most probable first; empty when the pool is whole
 * @param functions in the pool's order
 */
public record CandidatePool(List<String> scenarios, List<FunctionSpec> functions) {
    public CandidatePool {
        scenarios = List.copyOf(scenarios);
        functions = List.copyOf(functions);
    }

    /**
     * The functions of the perception's top-k scenarios, of those that are possible at all (p above 0); every function where none is, as where a
     * language model calls functions without a scenario. A trained perceiver's probabilities are never 0.
     */
    public static CandidatePool ofTop(int k, Perception perception, FunctionPool pool, ScenarioCatalog catalog) {
        List<String> top = perception.top(k).stream()
                .filter(scenario -> perception.scenarios().getOrDefault(scenario, 0.0) > 0)
                .toList();
        return top.isEmpty()
                ? whole(pool)
                : new CandidatePool(top, catalog.functionsOf(new LinkedHashSet<>(top), pool));
    }

    /** No compression: every function. */
    public static CandidatePool whole(FunctionPool pool) {
        return new CandidatePool(List.of(), List.copyOf(pool.functions()));
    }
}
