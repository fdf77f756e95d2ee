package dev.prpf.data.encode;

import dev.prpf.data.encode.image.FrameEncoder;
import dev.prpf.data.encode.image.Picture;
import dev.prpf.data.encode.ocr.ScreenReader;
import dev.prpf.data.encode.text.TextEncoder;
import java.util.List;

/**
 * A screenshot as the vector of the text that can be read on it: {@link ScreenReader}, then a {@link TextEncoder}, both behind their
 * stores. It stands in for the CLIP tower of PRPF section 3.3, whose weights no Maven artefact carries.
 */
final class OcrFrameEncoder implements FrameEncoder {
    private final StoredScreenReader screens;
    private final StoredTextEncoder texts;

    /** Owns neither. */
    OcrFrameEncoder(StoredScreenReader screens, StoredTextEncoder texts) {
        this.screens = screens;
        this.texts = texts;
    }

    @Override
    public String id() {
        return ScreenReader.ID + "+" + texts.id();
    }

    @Override
    public int width() {
        return texts.width();
    }

    @Override
    public float[][] encode(List<Picture> pictures) {
        return texts.encode(screens.texts(pictures));
    }

    @Override
    public void close() {}
}
