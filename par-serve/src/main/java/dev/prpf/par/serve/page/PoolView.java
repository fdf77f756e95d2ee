package dev.prpf.par.serve.page;

import dev.prpf.data.FunctionPool;
import dev.prpf.data.ScenarioCatalog;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pool for the page: {@code {"functions": [{"name", "description", "scenario"}], "scenarios": [name]}}.
 *
 * @param functions in the pool's order
 * @param scenarios in the catalogue's order
 */
record PoolView(List<FunctionView> functions, List<String> scenarios) {
    /** @param scenario null if the catalogue has none for it */
    record FunctionView(String name, String description, @Nullable String scenario) {}

    static PoolView of(FunctionPool pool, ScenarioCatalog catalog) {
        List<FunctionView> functions = pool.functions().stream()
                .map(spec -> new FunctionView(spec.name(), spec.description(), catalog.scenarioOf(spec.name())))
                .toList();
        return new PoolView(functions, catalog.names());
    }
}
