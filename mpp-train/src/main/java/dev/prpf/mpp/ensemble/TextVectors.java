package dev.prpf.mpp.ensemble;

import dev.prpf.base.run.Progress;
import dev.prpf.data.encode.SampleEncoder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A frozen text encoder for the members of an ensemble. */
public interface TextVectors {
    /** Name and version of the encoder. */
    String id();

    /** The width E of a vector. */
    int width();

    /** Encodes texts in order, shape (N, E). */
    float[][] encode(List<String> texts);

    /**
     * Vectors of a frozen encoder, cached in its store.
     *
     * @param watched whether texts are encoded in pieces with a progress bar; a signal stops the work between two pieces
     */
    record EncodedTexts(SampleEncoder encoder, boolean watched) implements TextVectors {
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
}
