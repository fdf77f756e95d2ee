package dev.prpf.base.files;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.codec.digest.DigestUtils;
import org.apache.commons.codec.digest.MessageDigestAlgorithms;
import org.apache.commons.lang3.function.FailableConsumer;

/** Files that are either whole or not there: written beside, fsynced, moved into place. */
public final class AtomicFiles {
    private AtomicFiles() {}

    /**
     * Replaces {@code target} in one step; a failure of the writer leaves what was there. Several writers may meet, and the last wins.
     *
     * @throws PrpfException 69 if it cannot be written
     * @see PendingFile for links and for what is no regular file
     */
    public static void write(Path target, FailableConsumer<OutputStream, IOException> writer) {
        try (PendingFile file = PendingFile.create(target)) {
            writer.accept(file.stream());
            file.commit();
        } catch (IOException e) {
            throw IoFailure.writing(target, e);
        }
    }

    /**
     * Creates the folder and finds out, before hours of work, whether a file can be written there at all.
     *
     * @throws PrpfException 69, naming the file, if it cannot
     */
    public static void requireWritable(Path target) {
        Path folder = target.toAbsolutePath().resolveSibling(".");
        IoFailure.whileWriting(target, () -> Files.createDirectories(folder));
        if (Files.isDirectory(target) || (!PendingFile.isSpecial(target) && !Files.isWritable(folder))) {
            throw new UnavailableException(
                    "cannot write " + target + ": it is a folder, or its folder is read-only; name another file");
        }
    }

    /** {@link #write} of a text in UTF-8. */
    public static void writeText(Path target, String text) {
        write(target, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Moves a finished file or directory into place and makes the move durable. */
    public static void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        syncDirectory(to.toAbsolutePath().resolveSibling("."));
    }

    /** Removes a file, or a folder with all that is in it; links are removed, not followed. Does nothing where there is neither. */
    public static void deleteTree(Path tree) throws IOException {
        if (!Files.exists(tree, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Makes a file's content durable. */
    public static void sync(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    /** Makes the names in a directory durable. */
    static void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** The file's SHA-256 in lower-case hexadecimal; of several Parquet files that of their names and sums. */
    public static String sha256(Path file) {
        if (!Files.isRegularFile(file) && ParquetShards.isParquet(file)) {
            return sha256(ParquetShards.of(file).stream()
                    .map(shard -> sha256Of(shard) + "  " + shard.getFileName() + "\n")
                    .collect(Collectors.joining())
                    .getBytes(StandardCharsets.UTF_8));
        }
        return sha256Of(file);
    }

    private static String sha256Of(Path file) {
        DigestUtils digest = new DigestUtils(MessageDigestAlgorithms.SHA_256);
        return IoFailure.whileReading("cannot read " + file, () -> digest.digestAsHex(file));
    }

    /** The bytes' SHA-256 in lower-case hexadecimal. */
    public static String sha256(byte[] bytes) {
        return DigestUtils.sha256Hex(bytes);
    }
}
