package dev.prpf.base.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A new folder for temporary files, which {@link #close} deletes with its content. */
public record TemporaryFolder(Path path) implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TemporaryFolder.class);

    /**
     * Creates a folder in the system's folder for temporary files.
     *
     * @param prefix of its name
     * @throws dev.prpf.base.error.PrpfException 69 if it cannot be created
     */
    public static TemporaryFolder open(String prefix) {
        try {
            return new TemporaryFolder(Files.createTempDirectory(prefix));
        } catch (IOException e) {
            throw IoFailure.writing(Path.of(System.getProperty("java.io.tmpdir")), e);
        }
    }

    @Override
    public void close() {
        try {
            AtomicFiles.deleteTree(path);
        } catch (IOException e) {
            LOG.warn("{}: the temporary folder cannot be deleted ({}); delete it", path, IoFailure.reason(e));
        }
    }
}
