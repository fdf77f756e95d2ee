package dev.prpf.data.io;

/** A file that cannot be read on: it is cut off, is no JSON, or is not shaped as records. */
public final class MalformedFileException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String rule;
    private final String reason;

    MalformedFileException(String rule, String message) {
        super(message);
        this.rule = rule;
        this.reason = message;
    }

    @Override
    public String getMessage() {
        return reason;
    }

    /** Stable kebab-case name of the rule that is broken. */
    public String rule() {
        return rule;
    }
}
