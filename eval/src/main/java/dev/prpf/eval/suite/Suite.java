package dev.prpf.eval.suite;

/**
 * Public labelled data with the protocol that they are scored by. A suite is one class that makes such a value, and its place in the list of
 * {@code eval suite}.
 */
public interface Suite {
    /** On the command line. */
    String name();

    /** One line for the command's help: what is decided, of how many points, what is held out. */
    String about();

    /** Where the data come from. */
    DataSource source();

    /** The folder of its data in one that holds the data of several suites. */
    String place();

    /**
     * The repository of somebody else's data.
     *
     * @param repository as OWNER/NAME on GitHub
     * @param commit the version that was scored
     * @param licence of the data, as the repository states it
     */
    record DataSource(String repository, String commit, String licence) {
        /** The command that gets the data; it makes a folder of the repository's name. */
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
