package dev.prpf.api;

/** Reports a cascade of another version or with unsuitable settings (exit codes 2 and 78 of the command line). */
public final class InvalidConfigurationException extends PrpfException {
    private static final long serialVersionUID = 1L;

    InvalidConfigurationException(String message, Throwable cause) {
        super(message, cause);
    }
}
