package dev.prpf.data.encode;

import dev.prpf.data.encode.image.FrameEncoder;
import dev.prpf.data.encode.image.Picture;
import dev.prpf.data.encode.ocr.ScreenReader;
import dev.prpf.data.encode.text.TextEncoder;
import java.util.List;
import java.util.function.Supplier;

/**
 * A screenshot as the vector of the text that can be read on it: a {@link ScreenReader}, then the text encoder, both behind their
 * stores. It stands in for the CLIP tower of PRPF section 3.3, whose weights no Maven artefact carries. It owns nothing.
 */
record OcrFrameEncoder(
        TextEncoder textEncoder, StoredEncodings<String, float[]> texts, StoredEncodings<Picture, String> screens)
        implements FrameEncoder {
    @Override
    public String id() {
        return ScreenReader.ID + "+" + textEncoder.id();
    }

    @Override
    public int width() {
        return textEncoder.width();
    }

    @Override
    public List<Supplier<float[]>> encodeLazily(List<Picture> pictures) {
        return texts.getLazily(screens.get(pictures));
    }

    @Override
    public void close() {}
}
