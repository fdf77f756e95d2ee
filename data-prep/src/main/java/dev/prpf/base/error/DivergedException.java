package dev.prpf.base.error;

/** Thrown when a training's loss or weights are no longer finite. */
public final class DivergedException extends PrpfException {
    private static final long serialVersionUID = 1L;

    public DivergedException(String message) {
        super(message);
    }
}
