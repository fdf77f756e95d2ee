package dev.prpf.base.error;

/** A configuration with a wrong key or value, or one that does not fit the run or the model it is used with. */
public final class InvalidConfigurationException extends PrpfException {
    private static final long serialVersionUID = 1L;

    public InvalidConfigurationException(String message) {
        super(message);
    }
}
