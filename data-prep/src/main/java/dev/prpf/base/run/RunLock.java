package dev.prpf.base.run;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.FileLocks;
import dev.prpf.base.files.IoFailure;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Keeps a run directory to one writer. The operating system frees it with the process, however that ends. */
final class RunLock implements AutoCloseable {
    static final String FILE = "run.lock";

    private final FileChannel channel;

    private RunLock(FileChannel channel) {
        this.channel = channel;
    }

    /** @throws PrpfException 69 if another writer holds it, or the directory cannot be written */
    static RunLock take(Path directory) {
        Path file = directory.resolve(FILE);
        FileChannel channel;
        try {
            Files.createDirectories(directory);
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw IoFailure.writing(file, e);
        }
        if (!locked(channel, file)) {
            close(channel, file);
            throw new UnavailableException(
                    directory + ": another process is writing this run; wait for it, or name another --run-dir");
        }
        return new RunLock(channel);
    }

    private static boolean locked(FileChannel channel, Path file) {
        try {
            return FileLocks.taken(channel);
        } catch (IOException e) {
            close(channel, file);
            throw IoFailure.writing(file, e);
        }
    }

    private static void close(FileChannel channel, Path file) {
        try {
            channel.close();
        } catch (IOException e) {
            throw IoFailure.writing(file, e);
        }
    }

    @Override
    public void close() {
        close(channel, Path.of(FILE));
    }
}
