package dev.prpf.mpp.ensemble;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Encoded samples, the input of an ensemble's linear classifiers.
 *
 * @param texts one element for each sample
 * @param vectors of all samples, one element for each encoder
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

    /** Returns the samples with these indexes, in order. */
    public LinearInput at(int[] indexes) {
        return new LinearInput(
                IntStream.of(indexes).mapToObj(texts::get).toList(),
                vectors.stream().map(one -> one.at(indexes)).toList());
    }

    public int size() {
        return texts.size();
    }
}
