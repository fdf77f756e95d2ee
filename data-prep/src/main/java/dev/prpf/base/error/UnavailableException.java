package dev.prpf.base.error;

/** Thrown when a required device, library, model, server or disk space is not available. */
public final class UnavailableException extends PrpfException {
    private static final long serialVersionUID = 1L;

    public UnavailableException(String message) {
        super(message);
    }

    public UnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
