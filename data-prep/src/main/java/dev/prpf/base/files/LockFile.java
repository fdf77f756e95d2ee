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

/** A lock file that one process holds at a time. The operating system releases the lock when the process ends; the file stays. */
public final class LockFile implements AutoCloseable {
    /** Attempts, because {@link #isHeld} holds the lock for an instant. */
    private static final int ATTEMPTS = 5;

    private static final long BETWEEN_NANOS = 20_000_000;

    private final Path file;
    private final FileChannel channel;

    private LockFile(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Acquires the lock and creates missing file and folder.
     *
     * @return null if another process, or another holder in this one, has the lock
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
                channel.close(); // held, or its holder deleted the file meanwhile
                LockSupport.parkNanos(BETWEEN_NANOS);
            }
            return null;
        } catch (IOException e) {
            throw IoFailure.writing(file, e);
        }
    }

    /** Returns whether a process holds the lock; an unreadable file counts as held. */
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
     * Tries to lock a file for this channel until it is closed. POSIX also releases the lock when this process closes another
     * channel of the file, so read it through this one.
     *
     * @return false if another process, or another channel of this one, holds the lock
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
