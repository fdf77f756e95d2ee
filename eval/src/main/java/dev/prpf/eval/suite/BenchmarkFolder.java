package dev.prpf.eval.suite;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where the suites' data lie; they are other people's and are read in place. */
public final class BenchmarkFolder {
    private BenchmarkFolder() {}

    /** The folder asked for, else the system property prpf.testdata, else ../shared/testdata. */
    public static Path root(@Nullable Path asked) {
        return asked != null ? asked : Path.of(System.getProperty("prpf.testdata", "../shared/testdata"));
    }

    /**
     * A suite's folder: gate/NAME under the root, or the root itself if that holds the marker.
     *
     * @param marker a file or folder that the data have
     * @param source where the data come from
     * @throws PrpfException 69 if neither is there
     */
    public static Path of(Path root, String suite, String marker, String source) {
        Path folder = root.resolve("gate").resolve(suite);
        if (Files.isDirectory(folder)) {
            return folder;
        }
        if (Files.exists(root.resolve(marker))) {
            return root;
        }
        throw new UnavailableException("suite " + suite + ": no folder " + folder + "; get the data (" + marker
                + ") of " + source + " and name their folder with --data (or the system property prpf.testdata)");
    }
}
