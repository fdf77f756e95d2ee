package dev.prpf.eval.suite;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.IoFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where a suite's data lie. They are other people's and are read in place: in a clone of their repository, or in the suite's place in a
 * folder that holds the data of several suites.
 *
 * @param root the folder
 * @param source the data's
 */
public record DataFolder(Path root, Suite.DataSource source) {
    /** The environment variable that names the folder. */
    public static final String VARIABLE = "PRPF_TESTDATA";

    /** The system property that names the folder where the variable is not set. */
    public static final String PROPERTY = "prpf.testdata";

    private static final int DEEPEST = 5;

    /**
     * The folder of a suite: the option's, else that in {@link #VARIABLE}, else that in {@link #PROPERTY}.
     *
     * @param option {@code --data}, or null
     * @param environment the process's
     * @throws PrpfException 69, with the command that gets the data, if none is named
     */
    public static DataFolder of(Suite suite, @Nullable Path option, Map<String, String> environment) {
        String variable = environment.getOrDefault(VARIABLE, "");
        String named = variable.isEmpty() ? System.getProperty(PROPERTY, "") : variable;
        if (option == null && named.isEmpty()) {
            throw new UnavailableException(
                    "suite " + suite.name() + ": no folder of its data is named; " + way(suite.source()));
        }
        Path root = option != null ? option : Path.of(named);
        Path own = root.resolve(suite.place());
        return new DataFolder(Files.isDirectory(own) ? own : root, suite.source());
    }

    /**
     * The file or folder of one of these names that lies nearest to the root.
     *
     * @throws PrpfException 69, with the command that gets the data, if there is none
     */
    public Path find(String... names) {
        List<String> known = List.of(names);
        try (Stream<Path> paths = Files.isDirectory(root) ? Files.walk(root, DEEPEST) : Stream.of()) {
            return paths.filter(path -> known.contains(String.valueOf(path.getFileName())))
                    .min(Comparator.comparing(Path::getNameCount).thenComparing(Comparator.naturalOrder()))
                    .orElseThrow(() -> missing(String.join(" or ", names) + " is missing below " + root));
        } catch (IOException e) {
            throw IoFailure.reading(root, e);
        }
    }

    /** A file below a path that was found, with a clear error where it is missing. */
    public BenchmarkFile file(Path path) {
        if (!Files.isRegularFile(path)) {
            throw missing(path + " is missing");
        }
        return new BenchmarkFile(path, source);
    }

    private UnavailableException missing(String what) {
        return new UnavailableException(what + "; " + way(source));
    }

    private static String way(Suite.DataSource source) {
        return "get the data of " + source + " with `" + source.command()
                + "` and name the folder with --data (or with the" + " environment variable " + VARIABLE
                + ", or the system property " + PROPERTY + ")";
    }
}
