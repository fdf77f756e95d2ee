package dev.prpf.base.files;

import dev.prpf.base.error.PrpfException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A file that one process holds at a time. The operating system frees it with the process, however that ends; the file stays. */
public final class LockFile implements AutoCloseable {
    /** {@link #isHeld} takes the lock for an instant, which must not look like a writer. */
    private static final int ATTEMPTS = 5;

    private static final long BETWEEN_NANOS = 20_000_000;

    private final Path file;
    private final FileChannel channel;

    private LockFile(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Takes the lock, creating file and folder where they are missing.
     *
     * @return null if another process, or another holder in this one, has it
     * @throws PrpfException 69 if the file cannot be written
     */
    public static @Nullable LockFile tryTake(Path file) {
        try {
            Files.createDirectories(file.toAbsolutePath().resolveSibling("."));
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                Object opened = key(file);
                if (taken(channel) && opened != null && Objects.equals(opened, key(file))) {
                    return new LockFile(file, channel);
                }
                channel.close(); // held, or its holder removed the file while we opened it
                LockSupport.parkNanos(BETWEEN_NANOS);
            }
            return null;
        } catch (IOException e) {
            throw IoFailure.writing(file, e);
        }
    }

    /** Whether some process holds the lock now; one that may not be read counts as held. */
    public static boolean isHeld(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return channel.tryLock(0, Long.MAX_VALUE, true) == null;
        } catch (NoSuchFileException e) {
            return false;
        } catch (OverlappingFileLockException | IOException e) {
            return true;
        }
    }

    /**
     * Tries to keep a file to this channel until that is closed. POSIX frees the lock as well when this process closes any other channel
     * of the same file, so read it through this one.
     *
     * @return false if another process, or another channel of this one, holds it
     */
    static boolean taken(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException heldHere) {
            return false;
        }
    }

    private static @Nullable Object key(Path file) throws IOException {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        } catch (NoSuchFileException removed) {
            return null;
        }
    }

    @Override
    public void close() {
        IoFailure.whileWriting(file, channel::close);
    }
}
