package dev.prpf.base.config;

import org.jspecify.annotations.Nullable;

/** Checks values of a configuration record in its compact constructor. */
public final class Rule {
    private Rule() {}

    /**
     * Throws unless the value keeps the rule.
     *
     * @param holds whether the value keeps the rule
     * @param key the configuration key, in kebab case
     * @param rule the rule in words, following "must be"
     * @throws IllegalArgumentException "{@code key = value must be rule}"
     */
    public static void require(boolean holds, String key, @Nullable Object value, String rule) {
        if (!holds) {
            throw new IllegalArgumentException(key + " = " + value + " must be " + rule);
        }
    }
}
