package dev.prpf.data.encode;

import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.Objects;

/** The golden outputs in the test resources; {@code src/test/python/README.md} describes how to make them. */
public final class TestFiles {
    private TestFiles() {}

    /** Returns a file or folder of the golden outputs. */
    public static Path golden(String name) {
        URL place = Objects.requireNonNull(TestFiles.class.getResource("/golden/" + name), name);
        try {
            return Path.of(place.toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(place.toString(), e);
        }
    }
}
