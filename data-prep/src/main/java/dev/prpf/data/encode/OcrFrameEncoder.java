package dev.prpf.data.encode;

import java.nio.file.Path;
import java.util.List;

/**
 * A screenshot as the vector of the text that can be read on it: {@link ScreenReader}, then a {@link TextEncoder}. It stands in for
 * the CLIP tower of PRPF section 3.3, whose weights no Maven artefact carries.
 */
public final class OcrFrameEncoder implements FrameEncoder {
    private final ScreenReader reader;
    private final TextEncoder texts;

    /** Owns both: {@link #close()} closes them. */
    public OcrFrameEncoder(ScreenReader reader, TextEncoder texts) {
        this.reader = reader;
        this.texts = texts;
    }

    /** The id over a text encoder of that id. */
    public static String idOver(String textEncoderId) {
        return ScreenReader.ID + "+" + textEncoderId;
    }

    @Override
    public String id() {
        return idOver(texts.id());
    }

    @Override
    public int width() {
        return texts.width();
    }

    @Override
    public float[] encode(Path picture) {
        return texts.encode(List.of(reader.text(picture)))[0];
    }

    @Override
    public void close() {
        reader.close();
        texts.close();
    }
}
