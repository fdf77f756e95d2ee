package dev.prpf.api;

/** Reports too little memory for a model (exit code 3 of the command line). */
public final class InsufficientMemoryException extends PrpfException {
    private static final long serialVersionUID = 1L;

    InsufficientMemoryException(String message, Throwable cause) {
        super(message, cause);
    }
}
