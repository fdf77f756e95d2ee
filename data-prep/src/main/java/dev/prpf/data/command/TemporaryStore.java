package dev.prpf.data.command;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A store's folder: a named one, or a temporary one that {@link #close()} deletes.
 *
 * @param path the folder
 * @param temporary whether it is deleted
 */
public record TemporaryStore(Path path, boolean temporary) implements AutoCloseable {
    static final Path PARENT = Path.of(System.getProperty("java.io.tmpdir"));

    /** Returns the named folder, or a new temporary one if null. */
    public static TemporaryStore unless(@Nullable Path named) {
        if (named != null) {
            return new TemporaryStore(named, false);
        }
        try {
            return new TemporaryStore(Files.createTempDirectory("prpf-store"), true);
        } catch (IOException e) {
            throw IoFailure.writing(PARENT, e);
        }
    }

    @Override
    public void close() {
        if (temporary) {
            IoFailure.whileWriting(path, () -> AtomicFiles.deleteTree(path));
        }
    }
}
