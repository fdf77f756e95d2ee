package dev.prpf.par.sets;

import dev.prpf.data.FunctionSpec;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The functions of the records that were taken, in the order in which they came up: in a pool a name means one function. */
public final class DefinedFunctions {
    private final Map<String, FunctionSpec> byName = new LinkedHashMap<>();

    /**
     * Takes a record's functions, all or none.
     *
     * @return whether they were taken; not if a record before defines one of their names differently
     */
    public boolean take(List<FunctionSpec> functions) {
        if (functions.stream().anyMatch(function -> !byName.getOrDefault(function.name(), function)
                .equals(function))) {
            return false;
        }
        functions.forEach(function -> byName.put(function.name(), function));
        return true;
    }

    Collection<FunctionSpec> all() {
        return byName.values();
    }
}
