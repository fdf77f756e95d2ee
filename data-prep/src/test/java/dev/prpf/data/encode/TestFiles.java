package dev.prpf.data.encode;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the golden outputs lie. */
public final class TestFiles {
    private TestFiles() {}

    public static Path golden(String name) {
        return shared("prpf.golden", "golden").resolve(name);
    }

    private static Path shared(String property, String folder) {
        String root = System.getProperty("prpf.root", ".");
        Path path = Path.of(System.getProperty(
                property, Path.of(root, "..", "shared", folder).toString()));
        assumeTrue(Files.isDirectory(path), path + " is missing; give its place with -D" + property);
        return path;
    }
}
