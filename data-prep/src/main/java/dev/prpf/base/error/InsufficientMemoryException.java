package dev.prpf.base.error;

/** Work that would need more memory than there is. */
public final class InsufficientMemoryException extends PrpfException {
    private static final long serialVersionUID = 1L;

    public InsufficientMemoryException(String message) {
        super(message);
    }
}
