package dev.prpf.base.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;

/** Locks of the operating system, which frees them with the process, however that ends. */
public final class FileLocks {
    private FileLocks() {}

    /**
     * Tries to keep a file to this channel until that is closed. POSIX frees the lock as well when this process closes any other channel
     * of the same file, so read it before.
     *
     * @return false if another process, or another channel of this one, holds it
     */
    public static boolean taken(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException heldHere) {
            return false;
        }
    }
}
