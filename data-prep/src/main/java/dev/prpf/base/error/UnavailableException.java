package dev.prpf.base.error;

/** A device, a library, a model, a server or disk space that is needed and not there. */
public final class UnavailableException extends PrpfException {
    private static final long serialVersionUID = 1L;

    public UnavailableException(String message) {
        super(message);
    }

    public UnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
