package dev.prpf.eval.suite;

import java.util.function.Function;

/**
 * Public human-labelled data with the protocol that they are scored by. A suite is one class that makes such a value, and its line in {@link
 * Suites}.
 *
 * @param name on the command line; also the folder of its data under {@code gate/}
 * @param about one line for the command's help: what is decided, of how many points, what is held out
 * @param source where the data come from
 * @param protocol reads the data, trains and scores everything, which takes minutes; throws 69 if a file is missing, 65 if one is not what
 *     it should be
 */
public record Suite(String name, String about, DataSource source, Function<DataFolder, SuiteResult> protocol) {}
