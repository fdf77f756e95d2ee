package dev.prpf.eval.suite;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/** The released files, read in place; a test that needs them is skipped where they are not. */
final class RealData {
    private RealData() {}

    static Path folder() {
        String given = System.getProperty("prpf.testdata");
        Path root = given != null
                ? Path.of(given)
                : Path.of(System.getProperty("prpf.root", "."), "..", "shared", "testdata");
        Path folder = root.resolve("gate").resolve("proactivebench");
        assumeTrue(
                Files.isDirectory(folder),
                () -> "skipped: no ProactiveBench data at " + folder + " (set -Dprpf.testdata=DIR)");
        return folder;
    }

    static ProactiveBench bench() {
        return ProactiveBench.read(folder());
    }
}
