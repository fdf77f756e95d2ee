package dev.prpf.data.encode;

import dev.prpf.data.encode.image.FrameEncoder;
import dev.prpf.data.encode.image.Picture;
import java.util.List;
import java.util.function.Supplier;

/**
 * A screenshot as the vector of the text that can be read on it: a {@link dev.prpf.data.encode.ocr.ScreenReader}, then the text encoder,
 * both behind their stores. It stands in for the CLIP tower of PRPF section 3.3, whose weights no Maven artefact carries.
 *
 * @param screens closed by whoever made it
 * @param texts closed by whoever made it
 */
record OcrFrameEncoder(
        StoredEncodings<Picture, String> screens, StoredEncodings<String, float[]> texts, String id, int width)
        implements FrameEncoder {
    @Override
    public float[][] encode(List<Picture> pictures) {
        return texts.get(screens.get(pictures)).toArray(float[][]::new);
    }

    @Override
    public List<Supplier<float[]>> encodeLazily(List<Picture> pictures) {
        return texts.getLazily(screens.get(pictures));
    }

    @Override
    public void close() {}
}
