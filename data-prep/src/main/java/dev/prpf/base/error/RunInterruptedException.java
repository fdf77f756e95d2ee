package dev.prpf.base.error;

/** Thrown when a signal ends a run. Progress is saved, and the same command resumes it. */
public final class RunInterruptedException extends PrpfException {
    private static final long serialVersionUID = 1L;

    public RunInterruptedException(String message) {
        super(message);
    }

    public RunInterruptedException(String message, Throwable cause) {
        super(message, cause);
    }
}
