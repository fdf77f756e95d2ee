package dev.prpf.api;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A failure that is not a bug of this library. The message names what failed, the value seen, the rule and the next step, as on the command line.
 * The subclass names the cause.
 */
public abstract sealed class PrpfException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private PrpfException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Runs work and converts its failure to the exception of the API, with the message; a failure without a counterpart is a bug. */
    static <T> T converting(Supplier<T> work) {
        try {
            return work.get();
        } catch (dev.prpf.base.error.PrpfException e) {
            String message = e.getMessage();
            if (e instanceof dev.prpf.base.error.PrpfException.InvalidDataException) {
                throw new InvalidDataException(message, e);
            }
            if (e instanceof dev.prpf.base.error.PrpfException.UnavailableException) {
                throw new UnavailableException(message, e);
            }
            if (e instanceof dev.prpf.base.error.PrpfException.InvalidConfigurationException
                    || e instanceof dev.prpf.base.error.PrpfException.UsageException) {
                throw new InvalidConfigurationException(message, e);
            }
            throw e instanceof dev.prpf.base.error.PrpfException.InsufficientMemoryException
                    ? new InsufficientMemoryException(message, e)
                    : e;
        }
    }

    /** Reports a call of a cascade, or of one of its streams, after {@link PrpfCascade#close}. */
    public static final class ClosedException extends PrpfException {
        private static final long serialVersionUID = 1L;

        ClosedException(String message) {
            super(message, null);
        }
    }

    /** Reports too little memory for a model (exit code 3 of the command line). */
    public static final class InsufficientMemoryException extends PrpfException {
        private static final long serialVersionUID = 1L;

        InsufficientMemoryException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Reports a cascade of another version or with unsuitable settings (exit codes 2 and 78 of the command line). */
    public static final class InvalidConfigurationException extends PrpfException {
        private static final long serialVersionUID = 1L;

        InvalidConfigurationException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Reports an invalid sample, an unreadable image, or a changed or damaged file of the cascade (exit code 65 of the command line). */
    public static final class InvalidDataException extends PrpfException {
        private static final long serialVersionUID = 1L;

        InvalidDataException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Reports a missing file, native library or encoder, or a folder in use by a training (exit code 69 of the command line). */
    public static final class UnavailableException extends PrpfException {
        private static final long serialVersionUID = 1L;

        UnavailableException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
