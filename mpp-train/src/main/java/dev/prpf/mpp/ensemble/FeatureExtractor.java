package dev.prpf.mpp.ensemble;

import dev.prpf.mpp.ensemble.LinearInput.BlockVectors;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.commons.math3.stat.StatUtils;

/** Turns the vectors or texts of samples into the features of a linear classifier; fitted on training samples without their labels. */
sealed interface FeatureExtractor {
    DesignRows rows(LinearInput input, int[] samples);

    default DesignRows rows(LinearInput input) {
        return rows(input, IntStream.range(0, input.size()).toArray());
    }

    /** Columns of the design matrix. */
    int width();

    /**
     * Concatenated blocks of some encoders. Each block is centred and scaled to a total variance of 1 over the training samples. A blank text
     * counts as a vector of 0 before centring, so that its absence is visible. A block that is constant in training becomes 0.
     *
     * @param encoders indexes into {@link LinearInput#vectors}
     * @param means shape (encoders, 5 E)
     * @param scales shape (encoders, 5)
     */
    record Blocks(List<Integer> encoders, float[][] means, float[][] scales) implements FeatureExtractor {
        private static final double MIN_VARIANCE = 1e-12;

        static Blocks learn(List<Integer> encoders, LinearInput input, int[] training) {
            float[][] means = new float[encoders.size()][];
            float[][] scales = new float[encoders.size()][SampleTexts.BLOCKS];
            for (int e = 0; e < means.length; e++) {
                BlockVectors vectors = input.vectors().get(encoders.get(e));
                means[e] = new float[SampleTexts.BLOCKS * vectors.width()];
                for (int block = 0; block < SampleTexts.BLOCKS; block++) {
                    scales[e][block] = learn(vectors, block, training, means[e]);
                }
            }
            return new Blocks(encoders, means, scales);
        }

        /** Stores a block's mean in {@code means} and returns its scale. */
        private static float learn(BlockVectors vectors, int block, int[] training, float[] means) {
            double variance = 0;
            for (int j = block * vectors.width(); j < (block + 1) * vectors.width(); j++) {
                int column = j;
                double[] values = IntStream.of(training)
                        .mapToDouble(i -> vectors.rows()[i][column])
                        .toArray();
                double mean = StatUtils.mean(values);
                means[j] = (float) mean;
                variance += StatUtils.populationVariance(values, mean);
            }
            return variance > MIN_VARIANCE ? (float) (1 / Math.sqrt(variance)) : 0;
        }

        @Override
        public int width() {
            return Arrays.stream(means).mapToInt(mean -> mean.length).sum();
        }

        @Override
        public DesignRows rows(LinearInput input, int[] samples) {
            return new DesignRows.Dense(
                    IntStream.of(samples).mapToObj(i -> row(input, i)).toArray(double[][]::new));
        }

        private double[] row(LinearInput input, int sample) {
            double[] row = new double[width()];
            int from = 0;
            for (int e = 0; e < means.length; e++) {
                BlockVectors vectors = input.vectors().get(encoders.get(e));
                for (int j = 0; j < means[e].length; j++) {
                    float scale = scales[e][j / vectors.width()];
                    row[from + j] = (vectors.rows()[sample][j] - means[e][j]) * scale;
                }
                from += means[e].length;
            }
            return row;
        }
    }

    /**
     * TF-IDF weights over all texts of a sample.
     *
     * @param allSteps whether all steps count, or only the last one
     */
    record Counts(TfIdfGate.Vectorizer vectorizer, boolean allSteps) implements FeatureExtractor {
        static Counts learn(MemberPlan.Terms terms, LinearInput input, int[] training) {
            boolean allSteps = terms.scope() == MemberPlan.Terms.Scope.ALL;
            List<String> texts = IntStream.of(training)
                    .mapToObj(i -> input.texts().get(i).words(allSteps))
                    .toList();
            return new Counts(TfIdfGate.Vectorizer.fit(texts, terms.analyzer()), allSteps);
        }

        @Override
        public int width() {
            return vectorizer.columns().size();
        }

        @Override
        public DesignRows rows(LinearInput input, int[] samples) {
            return new DesignRows.Sparse(IntStream.of(samples)
                    .mapToObj(i -> vectorizer.transform(input.texts().get(i).words(allSteps)))
                    .toList());
        }
    }
}
