package dev.prpf.eval.suite;

/**
 * The repository of somebody else's data.
 *
 * @param repository as OWNER/NAME on GitHub
 * @param commit the version that was scored
 */
public record DataSource(String repository, String commit) {
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
