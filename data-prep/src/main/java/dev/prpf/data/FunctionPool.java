package dev.prpf.data;

import java.io.Serializable;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The callable functions, in the order of the pool's file. */
public final class FunctionPool implements Serializable {
    private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial") // a LinkedHashMap
    private final Map<String, FunctionSpec> functions;

    /** @throws IllegalArgumentException if two functions share a name */
    public FunctionPool(Collection<FunctionSpec> functions) {
        Map<String, FunctionSpec> byName = new LinkedHashMap<>();
        for (FunctionSpec function : functions) {
            if (byName.put(function.name(), function) != null) {
                throw new IllegalArgumentException("function " + function.name() + " is a duplicate in the pool");
            }
        }
        this.functions = Collections.unmodifiableMap(byName);
    }

    /** Returns the function with a name, or null. */
    public @Nullable FunctionSpec get(String name) {
        return functions.get(name);
    }

    public boolean contains(String name) {
        return functions.containsKey(name);
    }

    /** Returns the names in the pool's order. */
    public Set<String> names() {
        return functions.keySet();
    }

    public Collection<FunctionSpec> functions() {
        return functions.values();
    }

    public int size() {
        return functions.size();
    }
}
