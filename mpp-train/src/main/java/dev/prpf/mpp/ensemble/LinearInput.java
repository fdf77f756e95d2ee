package dev.prpf.mpp.ensemble;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Samples as the linear members see them.
 *
 * @param texts one a sample
 * @param vectors of all these samples, one an encoder
 */
public record LinearInput(List<SampleTexts> texts, List<BlockVectors> vectors) {
    public LinearInput {
        texts = List.copyOf(texts);
        vectors = List.copyOf(vectors);
        for (BlockVectors one : vectors) {
            if (one.rows().length != texts.size()) {
                throw new IllegalArgumentException(
                        "samples = " + texts.size() + ", rows of vectors = " + one.rows().length + ", must be equal");
            }
        }
    }

    /** Encodes the texts of samples with each encoder. */
    public static LinearInput of(List<SampleTexts> texts, List<? extends TextVectors> encoders) {
        return new LinearInput(
                texts,
                encoders.stream()
                        .map(encoder -> BlockVectors.of(texts, encoder))
                        .toList());
    }

    /** The samples at some places, in their order. */
    public LinearInput at(int[] places) {
        return new LinearInput(
                IntStream.of(places).mapToObj(texts::get).toList(),
                vectors.stream().map(one -> one.at(places)).toList());
    }

    /** Number of samples. */
    public int size() {
        return texts.size();
    }
}
