package dev.prpf.base.error;

/**
 * A failure that is not a bug. Its message is shown to the user as it is: what failed, the value seen, the rule and the next step.
 * The subclass says whose fault it is; {@link dev.prpf.base.error.ExitCode} gives each its exit status.
 */
public abstract sealed class PrpfException extends RuntimeException
        permits DivergedException,
                GateFailedException,
                InsufficientMemoryException,
                InvalidConfigurationException,
                InvalidDataException,
                RunInterruptedException,
                UnavailableException,
                UsageException {
    private static final long serialVersionUID = 1L;

    private String place = "";

    PrpfException(String message) {
        super(message);
    }

    PrpfException(String message, Throwable cause) {
        super(message, cause);
    }

    /** This failure, its message beginning with the place it was met at. */
    public final PrpfException at(String where) {
        place = where + ": " + place;
        return this;
    }

    @Override
    public String getMessage() {
        return place + super.getMessage();
    }
}
