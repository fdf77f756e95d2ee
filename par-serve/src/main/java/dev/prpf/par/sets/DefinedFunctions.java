package dev.prpf.par.sets;

import dev.prpf.data.FunctionSpec;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The functions of the included records, in order of appearance, with unique names. */
final class DefinedFunctions {
    private final Map<String, FunctionSpec> byName = new LinkedHashMap<>();

    /**
     * Adds a record's functions, all or none.
     *
     * @return false if an earlier record defines one of their names differently
     */
    boolean take(List<FunctionSpec> functions) {
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
