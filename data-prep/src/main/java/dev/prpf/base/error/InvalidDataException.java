package dev.prpf.base.error;

/** A file that cannot be read, or whose content breaks a rule. */
public final class InvalidDataException extends PrpfException {
    private static final long serialVersionUID = 1L;

    public InvalidDataException(String message) {
        super(message);
    }

    public InvalidDataException(String message, Throwable cause) {
        super(message, cause);
    }
}
