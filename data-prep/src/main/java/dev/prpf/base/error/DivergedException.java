package dev.prpf.base.error;

/** A training whose loss or weights are no longer finite numbers. */
public final class DivergedException extends PrpfException {
    private static final long serialVersionUID = 1L;

    public DivergedException(String message) {
        super(message);
    }
}
