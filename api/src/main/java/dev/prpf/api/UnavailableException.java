package dev.prpf.api;

/** Reports a missing file, native library or encoder, or a folder in use by a training (exit code 69 of the command line). */
public final class UnavailableException extends PrpfException {
    private static final long serialVersionUID = 1L;

    UnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
