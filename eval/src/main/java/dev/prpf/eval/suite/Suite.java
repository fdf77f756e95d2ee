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
     * The repository of third-party data.
     *
     * @param repository OWNER/NAME on GitHub
     * @param commit the scored version
     * @param licence the licence of the data, as stated in the repository
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
