package dev.prpf.mpp.ensemble;

import dev.prpf.base.run.Progress;
import dev.prpf.data.encode.SampleEncoder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Vectors of a frozen encoder, cached in its store.
 *
 * @param watched whether texts are encoded in pieces with a progress bar; a signal stops the work between two pieces
 */
public record EncodedTexts(SampleEncoder encoder, boolean watched) implements TextVectors {
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
        if (!watched) {
            return encoder.encodeTexts(texts);
        }
        List<float[]> vectors = new ArrayList<>();
        try (Progress progress = Progress.start("encoding texts, " + id(), texts.size())) {
            for (List<String> piece : SampleEncoder.pieces(texts)) {
                Collections.addAll(vectors, encoder.encodeTexts(piece));
                progress.stepBy(piece.size());
            }
        }
        return vectors.toArray(float[][]::new);
    }
}
