package dev.prpf.eval.suite;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UnavailableException;
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
 * The folder of a suite's third-party data: a clone of their repository, or the suite's folder in a folder of several suites.
 */
public record DataFolder(Path root, Suite.DataSource source) {
    /** The environment variable that names the folder. */
    public static final String VARIABLE = "PRPF_TESTDATA";

    /** The system property that names the folder if the variable is not set. */
    public static final String PROPERTY = "prpf.testdata";

    private static final int MAX_DEPTH = 5;

    /**
     * Returns the folder of a suite: the option's, else {@link #VARIABLE}'s, else {@link #PROPERTY}'s.
     *
     * @param option {@code --data}, or null
     * @param environment the process's environment variables
     * @throws PrpfException 69, with the command to get the data, if none is named
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
     * Returns the file or folder with one of these names that is nearest to the root.
     *
     * @throws PrpfException 69, with the command to get the data, if it is missing
     */
    public Path find(String... names) {
        List<String> known = List.of(names);
        try (Stream<Path> paths = Files.isDirectory(root) ? Files.walk(root, MAX_DEPTH) : Stream.of()) {
            return paths.filter(path -> known.contains(String.valueOf(path.getFileName())))
                    .min(Comparator.comparing(Path::getNameCount).thenComparing(Comparator.naturalOrder()))
                    .orElseThrow(() -> missing(String.join(" or ", names) + " is missing below " + root));
        } catch (IOException e) {
            throw IoFailure.reading(root, e);
        }
    }

    /** Returns a file below a path that {@link #find} returned, or throws 69 if it is missing. */
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
