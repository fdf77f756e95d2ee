package dev.prpf.base.files;

import dev.prpf.base.error.PrpfException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Files that are either whole or not there: written beside, fsynced, moved into place. */
public final class AtomicFiles {
    private AtomicFiles() {}

    /** Writes the content of one file. */
    @FunctionalInterface
    public interface Writer {
        void write(OutputStream out) throws IOException;
    }

    /**
     * Replaces {@code target} in one step; a failure of the writer leaves what was there.
     *
     * @throws PrpfException 69 if it cannot be written
     */
    public static void write(Path target, Writer writer) {
        Path absolute = target.toAbsolutePath();
        Path beside = absolute.resolveSibling("." + absolute.getFileName() + ".partial");
        try {
            Files.createDirectories(absolute.resolveSibling("."));
            try (FileChannel channel = FileChannel.open(
                            beside,
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE,
                            StandardOpenOption.TRUNCATE_EXISTING);
                    OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel))) {
                writer.write(out);
                out.flush();
                channel.force(true);
            }
            move(beside, absolute);
        } catch (IOException e) {
            throw IoFailure.writing(target, e);
        } finally {
            deleteQuietly(beside);
        }
    }

    /** {@link #write(Path, Writer)} of a text in UTF-8. */
    public static void writeText(Path target, String text) {
        write(target, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Moves a finished file or directory into place and makes the move durable. */
    public static void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        syncDirectory(to.toAbsolutePath().resolveSibling("."));
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

    private static void deleteQuietly(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException alsoBroken) {
            // The failure that left it is the one to tell; the next write of this file truncates it.
        }
    }

    /** The file's SHA-256 in lower-case hexadecimal. */
    public static String sha256(Path file) {
        MessageDigest digest = digest();
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** The bytes' SHA-256 in lower-case hexadecimal. */
    public static String sha256(byte[] bytes) {
        return HexFormat.of().formatHex(digest().digest(bytes));
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
