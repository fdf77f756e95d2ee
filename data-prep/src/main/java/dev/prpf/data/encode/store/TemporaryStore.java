package dev.prpf.data.encode.store;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A store's folder: the one that was named, or one that goes with {@link #close()}.
 *
 * @param path the folder
 * @param temporary whether it goes
 */
public record TemporaryStore(Path path, boolean temporary) implements AutoCloseable {
    /** Where temporary folders are made. */
    static final Path PARENT = Path.of(System.getProperty("java.io.tmpdir"));

    /** The named folder, or a new temporary one when none was named. */
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
