package dev.prpf.base.files;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
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
 * Maps failed reads and writes to exit codes: 69 for writes (the machine is at fault), 65 for reads (the data are). The message
 * states the reason; the JDK's is often only a path.
 */
public final class IoFailure {
    /** Linux's messages for storage or pipes that accept no more data; Java has no type for them. */
    private static final Pattern DEVICE_ERRORS = Pattern.compile(
            "No space left on device|Disk quota exceeded|File too large|Read-only file system|Input/output error|"
                    + "Too many open files|Broken pipe|Bad file descriptor");

    private IoFailure() {}

    /** Returns the exception for a file or folder that cannot be written. */
    public static PrpfException writing(Path what, IOException cause) {
        return unavailable("cannot write " + what, cause);
    }

    /**
     * Runs a step that writes a file or folder.
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
     * Returns the result of a step that reads.
     *
     * @param failure the message if it fails, such as "cannot read FILE"
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

    /** Returns the exception for a required file that cannot be read. */
    public static PrpfException reading(Path file, IOException cause) {
        return new InvalidDataException(
                file + ": cannot be read: " + reason(cause) + "; give the path of a readable file", cause);
    }

    /** Returns the exception for an I/O failure that no caller has mapped yet. */
    public static PrpfException of(UncheckedIOException failure) {
        IOException cause = Objects.requireNonNull(failure.getCause());
        String message = Objects.requireNonNullElse(failure.getMessage(), "");
        String what = message.isEmpty() || message.equals(cause.toString()) ? "reading or writing failed" : message;
        if (DEVICE_ERRORS.matcher(String.valueOf(cause.getMessage())).find()) {
            return unavailable(what, cause);
        }
        return new InvalidDataException(what + ": " + reason(cause), failure);
    }

    private static PrpfException unavailable(String what, IOException cause) {
        return new UnavailableException(
                what + ": " + reason(cause) + "; check the path, its permissions and the free disk space", cause);
    }

    /** Returns the reason of a failure in words. */
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
            return "it is not UTF-8 text";
        }
        if (failure instanceof FileSystemException named && named.getReason() != null) {
            return named.getFile() + ": " + named.getReason();
        }
        return Objects.requireNonNullElse(
                failure.getMessage(), failure.getClass().getSimpleName());
    }
}
