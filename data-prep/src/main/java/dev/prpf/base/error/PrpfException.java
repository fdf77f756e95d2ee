package dev.prpf.base.error;

import java.util.regex.Pattern;

/**
 * A failure that is not a bug. Its message is shown to the user unchanged: what failed, the value seen, the rule and the next
 * step. The subclass names the cause; {@link dev.prpf.base.error.ExitCode} maps it to an exit status.
 */
public abstract sealed class PrpfException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private String place = "";

    private PrpfException(String message) {
        super(message);
    }

    private PrpfException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Prefixes the message with the location of the failure and returns this exception. */
    public final PrpfException at(String where) {
        place = where + ": " + place;
        return this;
    }

    @Override
    public String getMessage() {
        return place + super.getMessage();
    }

    /** Thrown when a training's loss or weights are no longer finite. */
    public static final class DivergedException extends PrpfException {
        private static final long serialVersionUID = 1L;

        public DivergedException(String message) {
            super(message);
        }
    }

    /** Thrown when a metric misses its threshold or a check fails. */
    public static final class GateFailedException extends PrpfException {
        private static final long serialVersionUID = 1L;

        public GateFailedException(String message) {
            super(message);
        }
    }

    /** Thrown when an operation needs more memory than is available. */
    public static final class InsufficientMemoryException extends PrpfException {
        private static final long serialVersionUID = 1L;

        private static final Pattern NO_MEMORY = Pattern.compile(
                "allocate memory|not enough memory|out of memory|bad_alloc|ALLOC_FAILED", Pattern.CASE_INSENSITIVE);

        public InsufficientMemoryException(String message) {
            super(message);
        }

        /** Tests whether the message of a native library (C++, CUDA, cuBLAS, cuDNN) reports a lack of memory. */
        public static boolean isMeantBy(String message) {
            return NO_MEMORY.matcher(message).find();
        }
    }

    /** Thrown for a configuration with a wrong key or value, or one that does not fit its run or model. */
    public static final class InvalidConfigurationException extends PrpfException {
        private static final long serialVersionUID = 1L;

        public InvalidConfigurationException(String message) {
            super(message);
        }
    }

    /** Thrown for a file that cannot be read or has invalid content. */
    public static final class InvalidDataException extends PrpfException {
        private static final long serialVersionUID = 1L;

        public InvalidDataException(String message) {
            super(message);
        }

        public InvalidDataException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Thrown when a signal ends a run. Progress is saved, and the same command resumes it. */
    public static final class RunInterruptedException extends PrpfException {
        private static final long serialVersionUID = 1L;

        public RunInterruptedException(String message) {
            super(message);
        }

        public RunInterruptedException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Thrown when a required device, library, model, server or disk space is not available. */
    public static final class UnavailableException extends PrpfException {
        private static final long serialVersionUID = 1L;

        public UnavailableException(String message) {
            super(message);
        }

        public UnavailableException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Thrown for an invalid option that only the command itself can detect. */
    public static final class UsageException extends PrpfException {
        private static final long serialVersionUID = 1L;

        public UsageException(String message) {
            super(message);
        }
    }
}
