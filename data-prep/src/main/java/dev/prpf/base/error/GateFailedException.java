package dev.prpf.base.error;

/** Thrown when a metric misses its threshold or a check fails. */
public final class GateFailedException extends PrpfException {
    private static final long serialVersionUID = 1L;

    public GateFailedException(String message) {
        super(message);
    }
}
