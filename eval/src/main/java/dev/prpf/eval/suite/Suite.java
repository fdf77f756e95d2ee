package dev.prpf.eval.suite;

/** Public human-labelled data with the protocol that they are scored by. A suite is one such class and its line in {@link Suites}. */
public interface Suite {
    /** The name on the command line; also the folder of its data under {@code gate/}. */
    String name();

    /** One line for the command's help: what is decided, of how many points, what is held out. */
    String about();

    /** Where the data come from. */
    DataSource source();

    /**
     * Reads the data, trains and scores everything; this takes minutes.
     *
     * @throws dev.prpf.base.error.PrpfException 69 if a file is missing, 65 if one is not what it should be
     */
    SuiteResult run(DataFolder data);
}
