package dev.prpf.mpp.ensemble;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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

    /** Returns the steps of each sample with the first encoder's vectors. */
    Stream<StepClassifier.Steps> steps() {
        return IntStream.range(0, size())
                .mapToObj(i -> new StepClassifier.Steps(
                        texts.get(i).steps(), vectors.get(0).steps()[i]));
    }

    public int size() {
        return texts.size();
    }

    /**
     * The vectors of samples by one text encoder, one vector for each block of texts.
     *
     * @param width E, floats a vector
     * @param rows shape (n, 5 E): for each block of {@link SampleTexts} the mean of its texts' vectors; 0 if the block is blank
     * @param steps shape (n, T, E), T differs by sample; 0 for a blank step
     */
    record BlockVectors(int width, float[][] rows, float[][][] steps) {
        /** Encodes each distinct text once. */
        static BlockVectors of(List<SampleTexts> samples, TextVectors encoder) {
            List<String> texts = samples.stream()
                    .flatMap(sample -> sample.blocks().stream())
                    .flatMap(List::stream)
                    .distinct()
                    .toList();
            float[][] encoded = encoder.encode(texts);
            Map<String, float[]> vectors = new HashMap<>();
            IntStream.range(0, encoded.length).forEach(i -> vectors.put(texts.get(i), encoded[i]));
            return new BlockVectors(
                    encoder.width(),
                    samples.stream()
                            .map(sample -> row(sample, encoder.width(), vectors))
                            .toArray(float[][]::new),
                    samples.stream()
                            .map(sample -> sample.steps().stream()
                                    .map(step -> vectors.getOrDefault(step, new float[encoder.width()]))
                                    .toArray(float[][]::new))
                            .toArray(float[][][]::new));
        }

        private static float[] row(SampleTexts sample, int width, Map<String, float[]> vectors) {
            float[] row = new float[SampleTexts.BLOCKS * width];
            List<List<String>> blocks = sample.blocks();
            for (int block = 0; block < SampleTexts.BLOCKS; block++) {
                List<String> texts = blocks.get(block);
                for (String text : texts) {
                    float[] vector = Objects.requireNonNull(vectors.get(text));
                    for (int j = 0; j < width; j++) {
                        row[block * width + j] += vector[j] / texts.size();
                    }
                }
            }
            return row;
        }

        BlockVectors at(int[] indexes) {
            return new BlockVectors(
                    width,
                    IntStream.of(indexes).mapToObj(i -> rows[i]).toArray(float[][]::new),
                    IntStream.of(indexes).mapToObj(i -> steps[i]).toArray(float[][][]::new));
        }
    }
}
