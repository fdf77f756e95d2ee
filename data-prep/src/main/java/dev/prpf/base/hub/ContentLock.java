package dev.prpf.base.hub;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
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
    static void holding(Path file, Runnable check, Work work) throws IOException, InterruptedException {
        Files.createDirectories(file.resolveSibling("."));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            boolean told = false;
            while (tryLock(channel) == null) {
                if (!told) {
                    LOG.info("waiting for another download to let go of {}", file);
                    told = true;
                }
                check.run();
                Thread.sleep(BETWEEN_MS);
            }
            work.run();
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException heldInThisProcess) {
            return null;
        }
    }
}
