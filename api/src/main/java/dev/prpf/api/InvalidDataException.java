package dev.prpf.api;

/** Reports an invalid sample, an unreadable image, or a changed or damaged file of the cascade (exit code 65 of the command line). */
public final class InvalidDataException extends PrpfException {
    private static final long serialVersionUID = 1L;

    InvalidDataException(String message, Throwable cause) {
        super(message, cause);
    }
}
