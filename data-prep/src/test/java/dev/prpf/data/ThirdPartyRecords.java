package dev.prpf.data;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Published records of third parties, which are not part of the project. The system property {@code prpf.testdata}, else the
 * environment variable {@code PRPF_TESTDATA}, names their folder.
 */
public final class ThirdPartyRecords {
    private ThirdPartyRecords() {}

    /**
     * Returns a folder of records; skips the test if it is missing.
     *
     * @param name the folder's path under the root
     * @param fetch the commands that fetch the records
     */
    public static Path folder(String name, String fetch) {
        String root = System.getProperty("prpf.testdata", System.getenv().getOrDefault("PRPF_TESTDATA", ""));
        Path folder = Path.of(root, name);
        assumeTrue(
                !root.isEmpty() && Files.isDirectory(folder),
                () -> "skipped: no " + name + " in the folder that PRPF_TESTDATA (or -Dprpf.testdata) names"
                        + (root.isEmpty() ? "" : ", " + root) + ". To fetch the records:\n" + fetch);
        return folder;
    }
}
