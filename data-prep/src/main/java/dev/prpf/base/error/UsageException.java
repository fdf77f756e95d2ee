package dev.prpf.base.error;

/** A wrong option that only the command itself could see. */
public final class UsageException extends PrpfException {
    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }
}
