package dev.prpf.eval.suite;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/** The released files, read in place; a test that needs them is skipped where they are not. */
final class RealData {
    private RealData() {}

    static Path folder() {
        return folder("proactivebench");
    }

    static Path folder(String suite) {
        String given = System.getProperty("prpf.testdata");
        Path root = given != null
                ? Path.of(given)
                : Path.of(System.getProperty("prpf.root", "."), "..", "shared", "testdata");
        Path folder = root.resolve("gate").resolve(suite);
        assumeTrue(
                Files.isDirectory(folder),
                () -> "skipped: no data of " + suite + " at " + folder + " (set -Dprpf.testdata=DIR)");
        return folder;
    }

    static ProactiveBench bench() {
        return ProactiveBench.read(folder());
    }
}
