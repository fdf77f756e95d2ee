package dev.prpf.data.run;

/**
 * A failure that is not a bug: the command line prints its message, one line, and leaves with its exit code. The message says what
 * failed, the value seen, the rule and the next step.
 */
public final class PrpfException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ExitCode exitCode;

    public PrpfException(ExitCode exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    public PrpfException(ExitCode exitCode, String message, Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** A wrong option that only the command itself could see. */
    public static PrpfException usage(String message) {
        return new PrpfException(ExitCode.USAGE, message);
    }

    public static PrpfException badData(String message) {
        return new PrpfException(ExitCode.BAD_DATA, message);
    }

    public static PrpfException badConfig(String message) {
        return new PrpfException(ExitCode.BAD_CONFIG, message);
    }

    public static PrpfException unavailable(String message) {
        return new PrpfException(ExitCode.UNAVAILABLE, message);
    }

    public ExitCode exitCode() {
        return exitCode;
    }
}
