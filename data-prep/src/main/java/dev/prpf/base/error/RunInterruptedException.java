package dev.prpf.base.error;

/** Long work that a signal ended; what was done is saved, and the same command goes on with it. */
public final class RunInterruptedException extends PrpfException {
    private static final long serialVersionUID = 1L;

    public RunInterruptedException(String message) {
        super(message);
    }

    public RunInterruptedException(String message, Throwable cause) {
        super(message, cause);
    }
}
