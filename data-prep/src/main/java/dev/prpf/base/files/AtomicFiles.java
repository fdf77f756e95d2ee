package dev.prpf.base.files;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
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

/** Writes files atomically: to a temporary file, which is fsynced and renamed. */
public final class AtomicFiles {
    private AtomicFiles() {}

    /**
     * Replaces {@code target} atomically; if the writer fails, the old file stays. Of concurrent writers the last wins.
     *
     * @throws PrpfException 69 if it cannot be written
     * @see PendingFile for links and special files
     */
    public static void write(Path target, FailableConsumer<OutputStream, IOException> writer) {
        try (PendingFile file = PendingFile.create(target)) {
            writer.accept(file.stream());
            file.commit();
        } catch (IOException e) {
            throw IoFailure.writing(target, e);
        }
    }

    /** @throws UsageException if the file that {@code --out} names exists */
    public static void requireNew(Path out) {
        if (Files.exists(out)) {
            throw new UsageException("--out " + out + ": exists; name a new file");
        }
    }

    /**
     * Creates the folder and checks, before hours of work, that a file can be written there.
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

    /** Writes a text in UTF-8 atomically. */
    public static void writeText(Path target, String text) {
        write(target, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Moves a finished file or directory into place and makes the move durable. */
    public static void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        syncDirectory(to.toAbsolutePath().resolveSibling("."));
    }

    /** Deletes a file, or a folder with its content; links are deleted, not followed. Does nothing if neither exists. */
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

    /** Copies a folder with its content to a folder that does not exist yet. */
    public static void copyTree(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) { // a folder comes before its content
                Path target = to.resolve(from.relativize(file).toString());
                Files.createDirectories(target.toAbsolutePath().getParent());
                Files.copy(file, target);
            }
        }
    }

    /** Syncs a file's content to disk. */
    public static void sync(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    static void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Returns the file's SHA-256 in lower-case hexadecimal; for several Parquet files that of their names and hashes. */
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

    /** Returns the bytes' SHA-256 in lower-case hexadecimal. */
    public static String sha256(byte[] bytes) {
        return DigestUtils.sha256Hex(bytes);
    }
}
