package dev.prpf.base.error;

/** Thrown for a file that cannot be read or has invalid content. */
public final class InvalidDataException extends PrpfException {
    private static final long serialVersionUID = 1L;

    public InvalidDataException(String message) {
        super(message);
    }

    public InvalidDataException(String message, Throwable cause) {
        super(message, cause);
    }
}
