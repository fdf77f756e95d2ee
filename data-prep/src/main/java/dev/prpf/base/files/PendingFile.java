package dev.prpf.base.files;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A file being written: a temporary file in the same folder with a unique name, which {@link #commit} renames. Closing it without
 * commit deletes it. Links are followed. A special file (a device, a FIFO, standard output) is written directly, since it cannot
 * be replaced.
 */
public final class PendingFile implements AutoCloseable {
    private static final String PREFIX = ".prpf-";
    private static final String SUFFIX = ".partial";
    private static final Set<Path> STANDARD_OUTPUT =
            Set.of(Path.of("/dev/stdout"), Path.of("/dev/fd/1"), Path.of("/proc/self/fd/1"));
    /** Folders in which this process has deleted temporary files of dead processes. */
    private static final Map<Path, Boolean> SWEPT = new ConcurrentHashMap<>();

    private final Path place;
    private final @Nullable Path partial;
    private final FileChannel channel;
    private final OutputStream stream;

    private PendingFile(Path place, @Nullable Path partial, FileChannel channel) {
        this.place = place;
        this.partial = partial;
        this.channel = channel;
        this.stream = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16);
    }

    /** Creates a temporary file, and its folder if missing. */
    public static PendingFile create(Path target) throws IOException {
        Path place = target.toAbsolutePath();
        if (STANDARD_OUTPUT.contains(place)) {
            return new PendingFile(place, null, new FileOutputStream(FileDescriptor.out).getChannel());
        }
        if (Files.isDirectory(place)) {
            throw new FileSystemException(target.toString(), null, "is a folder, a file is needed");
        }
        if (isSpecial(place)) {
            return new PendingFile(place, null, FileChannel.open(place, StandardOpenOption.WRITE));
        }
        place = Files.isSymbolicLink(place) ? linked(place) : place;
        Path folder = Files.createDirectories(Objects.requireNonNull(place.getParent()));
        SWEPT.computeIfAbsent(folder.toRealPath(), PendingFile::sweep);
        while (true) {
            Path partial = folder.resolve(
                    PREFIX + Long.toHexString(ThreadLocalRandom.current().nextLong()) + SUFFIX);
            FileChannel channel = FileChannel.open(partial, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            if (LockFile.taken(channel) && Files.exists(partial)) {
                return new PendingFile(place, partial, channel);
            }
            channel.close(); // another process deleted it as abandoned before it was locked
        }
    }

    /** Returns whether a path is neither a regular file nor a folder; such a file is written, never replaced. */
    static boolean isSpecial(Path place) {
        return (Files.exists(place) && !Files.isRegularFile(place) && !Files.isDirectory(place))
                || place.startsWith("/dev/fd")
                || place.startsWith("/proc");
    }

    private static Path linked(Path link) throws IOException {
        try {
            return link.toRealPath();
        } catch (NoSuchFileException dangling) {
            return link.resolveSibling(Files.readSymbolicLink(link)).normalize();
        }
    }

    /** Deletes temporary files of dead processes; living ones hold locks on theirs. */
    private static boolean sweep(Path folder) {
        try (DirectoryStream<Path> partials = Files.newDirectoryStream(folder, PREFIX + "*" + SUFFIX)) {
            for (Path partial : partials) {
                try (FileChannel channel = FileChannel.open(partial, StandardOpenOption.WRITE)) {
                    if (LockFile.taken(channel)) {
                        Files.deleteIfExists(partial);
                    }
                }
            }
        } catch (IOException cannotBeTidied) {
            // A new file can still be written.
        }
        return true;
    }

    /** Returns the buffered stream of the file; {@link #commit} flushes it. */
    public OutputStream stream() {
        return stream;
    }

    /** Syncs the content to disk and renames the file, replacing an existing one atomically. */
    public void commit() throws IOException {
        stream.flush();
        if (partial != null) {
            channel.force(true);
            AtomicFiles.move(partial, place);
        }
    }

    /** Closes the file; deletes it if it was not committed. */
    @Override
    public void close() throws IOException {
        if (!STANDARD_OUTPUT.contains(place)) {
            if (partial != null) {
                Files.deleteIfExists(partial);
            }
            channel.close();
        }
    }
}
