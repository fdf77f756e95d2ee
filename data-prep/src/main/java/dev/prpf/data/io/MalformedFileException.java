package dev.prpf.data.io;

/** A file that cannot be read on: it is cut off, is no JSON, or is not shaped as records. */
public final class MalformedFileException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Defect defect;

    MalformedFileException(String rule, String message) {
        super(message);
        this.defect = new Defect("", Defect.Severity.FATAL, rule, null, message);
    }

    /** The same reason, and what was read before. */
    MalformedFileException after(String before) {
        return new MalformedFileException(defect.rule(), before + defect.message());
    }

    /** What is wrong, a fatal defect of the file as a whole. */
    public Defect defect() {
        return defect;
    }
}
