package dev.prpf.eval.suite;

/** A public labelled data set and its scoring protocol. A suite is one class that creates this value, listed in {@code eval suite}. */
public interface Suite {
    /** Returns the name for the command line. */
    String name();

    /** Returns one line for the command's help: the decision, the number of points, and what is held out. */
    String about();

    DataSource source();

    /** Returns the suite's folder in a folder with the data of several suites. */
    String place();

    /**
     * Reads the data and scores what the options of the run name.
     *
     * @throws dev.prpf.base.error.PrpfException 2 for an option of another kind of suite, 69 for a missing file, 65 for an invalid one
     */
    SuiteResult score(SuiteRun run);

    /** Command-line options of one kind of suite. */
    interface SuiteOptions {
        /** Returns the kind, as in "for function-calling suites". */
        String kind();
    }

    /** The command line of {@code eval suite}. */
    interface SuiteRun {
        /** Returns the options of a suite's kind; throws 2 if an option of another kind is given. */
        <T extends SuiteOptions> T options(Suite suite, Class<T> kind);

        /** Returns the folder of a suite's data; throws 69 if none is named. */
        DataFolder data(Suite suite);
    }

    /**
     * The repository of third-party data.
     *
     * @param repository OWNER/NAME on GitHub
     * @param commit the scored version
     */
    record DataSource(String repository, String commit, String licence) {
        /** Returns the command that downloads the data to a folder with the repository's name. */
        public String command() {
            String name = repository.substring(repository.indexOf('/') + 1);
            return "git clone https://github.com/" + repository + " && git -C " + name + " checkout " + commit;
        }

        @Override
        public String toString() {
            return "github.com/" + repository + " at commit " + commit;
        }
    }
}
