package dev.prpf.api;

/** Reports a call of a cascade, or of one of its streams, after {@link PrpfCascade#close}. */
public final class ClosedException extends PrpfException {
    private static final long serialVersionUID = 1L;

    ClosedException(String message) {
        super(message);
    }
}
