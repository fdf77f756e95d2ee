package dev.prpf.data;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Records that other people published, which are no part of the project. System property {@code prpf.testdata}, else environment variable {@code
 * PRPF_TESTDATA}, names the folder that holds them.
 */
public final class ThirdPartyRecords {
    private ThirdPartyRecords() {}

    /**
     * A folder of records; where it is missing the test is skipped.
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
