package dev.prpf.base.error;

/** Thrown for an invalid option that only the command itself can detect. */
public final class UsageException extends PrpfException {
    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }
}
