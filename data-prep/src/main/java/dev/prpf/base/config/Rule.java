package dev.prpf.base.config;

import org.jspecify.annotations.Nullable;

/** The rules of a configuration record's values, checked in its compact constructor. */
public final class Rule {
    private Rule() {}

    /**
     * Refuses a value.
     *
     * @param holds whether the value keeps the rule
     * @param key of the configuration, in kebab case
     * @param rule in words, after "must be"
     * @throws IllegalArgumentException "{@code key = value must be rule}"
     */
    public static void require(boolean holds, String key, @Nullable Object value, String rule) {
        if (!holds) {
            throw new IllegalArgumentException(key + " = " + value + " must be " + rule);
        }
    }
}
