package dev.prpf.mpp.ensemble;

import dev.prpf.data.encode.SampleEncoder;
import java.util.List;

/** The vectors of a frozen encoder through its store. */
public record EncodedTexts(SampleEncoder encoder) implements TextVectors {
    @Override
    public String id() {
        return encoder.textEncoderId();
    }

    @Override
    public int width() {
        return encoder.width();
    }

    @Override
    public float[][] encode(List<String> texts) {
        return encoder.encodeTexts(texts);
    }
}
