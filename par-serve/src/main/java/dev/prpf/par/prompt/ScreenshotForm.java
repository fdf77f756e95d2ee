package dev.prpf.par.prompt;

/** The form of a screenshot in a prompt. */
public enum ScreenshotForm {
    /** The text recognized on it. */
    OCR,
    /** The image itself, for models with vision. */
    PIXELS,
    /** The image, followed by the text recognized on it. */
    BOTH;

    /** Returns whether the model needs vision. */
    public boolean showsImages() {
        return this != OCR;
    }

    /** Returns whether the text is recognized. */
    public boolean worded() {
        return this != PIXELS;
    }
}
