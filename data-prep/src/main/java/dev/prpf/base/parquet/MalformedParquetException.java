package dev.prpf.base.parquet;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import java.nio.file.Path;

/** Thrown for a file that is not Parquet, is damaged, exceeds a limit, or lacks the requested columns. */
public final class MalformedParquetException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Path file;
    private final String rule;
    private final String reason;

    /**
     * @param rule stable kebab-case name of the broken rule
     * @param reason location in the file, value and rule in words
     */
    public MalformedParquetException(Path file, String rule, String reason) {
        super(file + ": " + reason + " [" + rule + "]");
        this.file = file;
        this.rule = rule;
        this.reason = reason;
    }

    public Path file() {
        return file;
    }

    public String rule() {
        return rule;
    }

    /** Returns the message without the file's name. */
    public String reason() {
        return reason;
    }

    /** Returns the failure with exit code 65. */
    public PrpfException outcome() {
        return new InvalidDataException(String.valueOf(getMessage()), this);
    }
}
