package dev.prpf.par.prompt;

/** What a prompt shows of a screenshot. */
public enum ScreenshotForm {
    /** The text read from it. */
    OCR,
    /** The picture itself, for models that see. */
    PIXELS,
    /** The picture, and the text read from it behind it. */
    BOTH;

    /** Whether the model must see. */
    public boolean pictured() {
        return this != OCR;
    }

    /** Whether its text is read. */
    public boolean worded() {
        return this != PIXELS;
    }
}
