package dev.prpf.base.error;

/** A threshold or a check that the data do not allow. */
public final class GateFailedException extends PrpfException {
    private static final long serialVersionUID = 1L;

    public GateFailedException(String message) {
        super(message);
    }
}
