package dev.prpf.api;

/**
 * A failure that is not a bug of this library. The message names what failed, the value seen, the rule and the next step, as on the command line.
 * The subclass names the cause.
 */
public abstract sealed class PrpfException extends RuntimeException
        permits ClosedException,
                InsufficientMemoryException,
                InvalidConfigurationException,
                InvalidDataException,
                UnavailableException {
    private static final long serialVersionUID = 1L;

    PrpfException(String message, Throwable cause) {
        super(message, cause);
    }

    PrpfException(String message) {
        super(message);
    }
}
