package dev.prpf.base.error;

/**
 * A failure that is not a bug. Its message is shown to the user unchanged: what failed, the value seen, the rule and the next
 * step. The subclass names the cause; {@link dev.prpf.base.error.ExitCode} maps it to an exit status.
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

    /** Prefixes the message with the location of the failure and returns this exception. */
    public final PrpfException at(String where) {
        place = where + ": " + place;
        return this;
    }

    @Override
    public String getMessage() {
        return place + super.getMessage();
    }
}
