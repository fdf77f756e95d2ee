package dev.prpf.eval.suite;

import java.util.List;
import java.util.Optional;

/** Every suite there is. */
public final class Suites {
    /** In the order of the command's help. */
    public static final List<Suite> ALL = List.of(ProactiveBenchSuite.SUITE, ContextAgentSuite.SUITE, KnowUSuite.SUITE);

    private Suites() {}

    /** The suite of that name. */
    public static Optional<Suite> named(String name) {
        return ALL.stream().filter(suite -> suite.name().equals(name)).findFirst();
    }
}
