package dev.prpf.base.hub;

import dev.prpf.base.files.LockFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A lock file: one download of a content at a time, among all processes of ours. The file stays, as {@code huggingface_hub}'s does. */
final class ContentLock {
    private static final Logger LOG = LoggerFactory.getLogger(ContentLock.class);
    private static final long BETWEEN_MS = 200;

    private ContentLock() {}

    /** What is done under the lock. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException, InterruptedException;
    }

    /**
     * Waits for the lock, works, lets go.
     *
     * @param check called while waiting; what it throws ends the wait
     */
    @SuppressWarnings("try") // the lock is held, not used
    static void holding(Path file, Runnable check, Work work) throws IOException, InterruptedException {
        Files.createDirectories(file.resolveSibling("."));
        LockFile lock = LockFile.tryTake(file);
        if (lock == null) {
            LOG.info("waiting for another download to let go of {}", file);
        }
        while (lock == null) {
            check.run();
            Thread.sleep(BETWEEN_MS);
            lock = LockFile.tryTake(file);
        }
        try (LockFile held = lock) {
            work.run();
        }
    }
}
