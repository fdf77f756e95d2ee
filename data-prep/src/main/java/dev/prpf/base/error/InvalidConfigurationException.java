package dev.prpf.base.error;

/** Thrown for a configuration with a wrong key or value, or one that does not fit its run or model. */
public final class InvalidConfigurationException extends PrpfException {
    private static final long serialVersionUID = 1L;

    public InvalidConfigurationException(String message) {
        super(message);
    }
}
