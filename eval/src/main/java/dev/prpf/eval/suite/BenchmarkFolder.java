package dev.prpf.eval.suite;

import dev.prpf.data.run.PrpfException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where the suites' data lie; they are other people's and are read in place. */
public final class BenchmarkFolder {
    private static final Path PROACTIVE_BENCH = Path.of("gate", "proactivebench");

    private BenchmarkFolder() {}

    /** The folder asked for, else the system property prpf.testdata, else ../shared/testdata. */
    public static Path root(@Nullable Path asked) {
        return asked != null ? asked : Path.of(System.getProperty("prpf.testdata", "../shared/testdata"));
    }

    /**
     * ProactiveBench's folder: gate/proactivebench under the root, or the root itself if that holds reward_data.
     *
     * @throws PrpfException 69 if neither is there
     */
    public static Path proactiveBench(Path root) {
        Path folder = root.resolve(PROACTIVE_BENCH);
        if (Files.isDirectory(folder)) {
            return folder;
        }
        if (Files.isDirectory(root.resolve("reward_data"))) {
            return root;
        }
        throw PrpfException.unavailable("suite proactivebench: no folder " + folder
                + "; get reward_data, test_data and model_traces.zip of " + ProactiveBench.SOURCE
                + " and name their folder with --data (or the system property prpf.testdata)");
    }
}
