package dev.prpf.base.files;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.Pattern;
import org.apache.commons.lang3.function.FailableRunnable;
import org.apache.commons.lang3.function.FailableSupplier;

/**
 * A failed read or write as an outcome: what cannot be written leaves with 69 (the machine is at fault), what cannot be read with 65 (the
 * data are), and the message says why in words, where the JDK's often is only a path.
 */
public final class IoFailure {
    /** How Linux words a storage or a pipe that takes nothing more; Java has no type for it. */
    private static final Pattern NOTHING_MORE = Pattern.compile(
            "No space left on device|Disk quota exceeded|File too large|Read-only file system|Input/output error|"
                    + "Too many open files|Broken pipe|Bad file descriptor");

    private IoFailure() {}

    /** Of a file or folder that cannot be written. */
    public static PrpfException writing(Path what, IOException cause) {
        return unavailable("cannot write " + what, cause);
    }

    /**
     * Runs what writes a file or folder.
     *
     * @throws PrpfException 69, of {@link #writing}, if it fails
     */
    public static void whileWriting(Path what, FailableRunnable<IOException> step) {
        try {
            step.run();
        } catch (IOException e) {
            throw writing(what, e);
        }
    }

    /**
     * The result of something that reads.
     *
     * @param failure what to say if it fails, such as "cannot read FILE"
     * @throws UncheckedIOException if it fails; see {@link #of}
     */
    public static <T> T whileReading(String failure, FailableSupplier<T, IOException> reading) {
        try {
            return reading.get();
        } catch (IOException e) {
            throw new UncheckedIOException(failure, e);
        }
    }

    /**
     * Returns what a step reads from a file.
     *
     * @throws PrpfException 65, of {@link #reading}, if it fails
     */
    public static <T> T whileReading(Path file, FailableSupplier<T, IOException> step) {
        try {
            return step.get();
        } catch (IOException e) {
            throw reading(file, e);
        }
    }

    /** Of a file that a command needs and that cannot be read. */
    public static PrpfException reading(Path file, IOException cause) {
        return new InvalidDataException(
                file + ": cannot be read: " + reason(cause) + "; give the path of a readable file", cause);
    }

    /** Of an I/O failure that nobody nearer to it turned into an outcome. */
    public static PrpfException of(UncheckedIOException failure) {
        IOException cause = Objects.requireNonNull(failure.getCause());
        String message = Objects.requireNonNullElse(failure.getMessage(), "");
        String what = message.isEmpty() || message.equals(cause.toString()) ? "reading or writing failed" : message;
        if (NOTHING_MORE.matcher(String.valueOf(cause.getMessage())).find()) {
            return unavailable(what, cause);
        }
        return new InvalidDataException(what + ": " + reason(cause), failure);
    }

    private static PrpfException unavailable(String what, IOException cause) {
        return new UnavailableException(
                what + ": " + reason(cause) + "; check the place, its rights and the disk's space", cause);
    }

    /** Why, in words. */
    public static String reason(IOException failure) {
        if (failure instanceof AccessDeniedException denied) {
            return denied.getFile() + ": permission denied";
        }
        if (failure instanceof NoSuchFileException missing) {
            return missing.getFile() + ": no such file or folder";
        }
        if (failure instanceof FileAlreadyExistsException taken) {
            return taken.getFile() + " is a file, a folder is needed";
        }
        if (failure instanceof CharacterCodingException) {
            return "this is no text in UTF-8";
        }
        if (failure instanceof FileSystemException named && named.getReason() != null) {
            return named.getFile() + ": " + named.getReason();
        }
        return Objects.requireNonNullElse(
                failure.getMessage(), failure.getClass().getSimpleName());
    }
}
