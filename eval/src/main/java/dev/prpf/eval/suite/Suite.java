package dev.prpf.eval.suite;

import dev.prpf.data.encode.text.TextEncoder;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Public human-labelled data with the protocol that they are scored by. A suite is one class that makes such a value, and its place in
 * {@link #all}.
 *
 * @param name on the command line; also the folder of its data under {@code gate/}
 * @param about one line for the command's help: what is decided, of how many points, what is held out
 * @param source where the data come from
 * @param protocol reads the data, encodes their texts, trains and scores everything, which takes minutes; throws 69 if a file is missing,
 *     65 if one is not what it should be
 */
public record Suite(
        String name,
        String about,
        DataSource source,
        BiFunction<DataFolder, Supplier<TextEncoder>, SuiteResult> protocol) {
    /** Every suite, in the order of the command's help. */
    public static List<Suite> all() {
        return List.of(ProactiveBench.SUITE, ContextAgent.SUITE, KnowU.SUITE);
    }

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
}
