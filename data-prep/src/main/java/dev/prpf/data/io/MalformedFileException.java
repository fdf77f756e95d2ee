package dev.prpf.data.io;

/** Thrown if reading cannot continue: the file is truncated, is not JSON, or does not contain records. */
public final class MalformedFileException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Defect defect;

    MalformedFileException(String rule, String message) {
        super(message);
        this.defect = new Defect("", Defect.Severity.FATAL, rule, null, message);
    }

    /** Returns an exception with the same reason, preceded by what was read before. */
    MalformedFileException after(String before) {
        return new MalformedFileException(defect.rule(), before + defect.message());
    }

    /** Returns the fatal defect of the whole file. */
    public Defect defect() {
        return defect;
    }
}
