package dev.prpf.mpp.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FeatureExtractorTest {
    private static final double CLOSE = 1e-6;

    /** Encodes a text as its length. */
    private static final TextVectors LENGTH = MadeTexts.vectors("length", 1, text -> new float[] {text.length()});

    private static SampleTexts texts(String profile, String... steps) {
        return new SampleTexts(List.of(profile, "", ""), List.of(steps));
    }

    private static double[] row(FeatureExtractor design, LinearInput input, int sample) {
        return ((DesignRows.Dense) design.rows(input, new int[] {sample})).rows()[0];
    }

    /**
     * Profile lengths 2, 4 and blank, which counts as 0: mean 2, variance 8 / 3. Last steps 1, 1, 4: mean 2, variance 2. Means of the steps
     * 1, 2, 3: mean 2, variance 2 / 3. Phone and world are blank.
     */
    @Test
    void eachBlockHasMeanZeroAndVarianceOneAndABlankTextIsZeroBefore() {
        LinearInput input = LinearInput.of(
                List.of(texts("ab", "x"), texts("abcd", "xyz", "x"), texts("", "xy", "xyzw")), List.of(LENGTH));
        FeatureExtractor blocks = FeatureExtractor.Blocks.learn(List.of(0), input, new int[] {0, 1, 2});

        assertThat(blocks.width()).isEqualTo(5);
        assertThat(row(blocks, input, 0))
                .containsExactly(new double[] {0, 0, 0, -1 / Math.sqrt(2), -1 / Math.sqrt(2.0 / 3)}, within(CLOSE));
        assertThat(row(blocks, input, 1))
                .containsExactly(new double[] {2 / Math.sqrt(8.0 / 3), 0, 0, -1 / Math.sqrt(2), 0}, within(CLOSE));
        assertThat(row(blocks, input, 2))
                .containsExactly(
                        new double[] {-2 / Math.sqrt(8.0 / 3), 0, 0, 2 / Math.sqrt(2), 1 / Math.sqrt(2.0 / 3)},
                        within(CLOSE));
    }

    @Test
    void blockThatIsBlankInTrainingCountsNothing() {
        LinearInput input = LinearInput.of(
                List.of(
                        texts("ab", "x"),
                        texts("abcd", "xyz"),
                        new SampleTexts(List.of("ab", "phone", "world"), List.of("x"))),
                List.of(LENGTH));
        FeatureExtractor blocks = FeatureExtractor.Blocks.learn(List.of(0), input, new int[] {0, 1});

        assertThat(row(blocks, input, 2)).containsExactly(row(blocks, input, 0));
    }

    @Test
    void blocksOfAllEncodersAreConcatenated() {
        LinearInput input = MadeTexts.input(MadeTexts.samples(20, 1));
        int[] all = IntStream.range(0, 20).toArray();
        FeatureExtractor both = FeatureExtractor.Blocks.learn(List.of(0, 1), input, all);
        FeatureExtractor second = FeatureExtractor.Blocks.learn(List.of(1), input, all);

        assertThat(both.width()).isEqualTo(5 * 28);
        double[] row = row(both, input, 7);
        assertThat(Arrays.copyOfRange(row, 130, 140)).containsExactly(row(second, input, 7), within(CLOSE));
        double variance = IntStream.of(all)
                .mapToObj(i -> row(both, input, i))
                .mapToDouble(one -> IntStream.range(78, 104) // the first encoder's last step
                        .mapToDouble(j -> one[j] * one[j])
                        .sum())
                .average()
                .orElseThrow();
        assertThat(variance).isCloseTo(1, within(1e-5));
    }

    @Test
    void termsAreLearnedFromTrainingSamplesOnly() {
        LinearInput input = LinearInput.of(
                List.of(texts("ab", "taxi"), texts("cd", "taxi"), texts("ef", "plane"), texts("gh", "plane")),
                List.of(LENGTH));
        FeatureExtractor.Counts terms = FeatureExtractor.Counts.learn(
                new MemberPlan.Terms(TextAnalyzer.CHARACTERS, MemberPlan.Terms.Scope.LAST), input, new int[] {0, 1});

        assertThat(terms.vectorizer().columns()).containsOnlyKeys("taxi");
        DesignRows.Sparse rows = (DesignRows.Sparse) terms.rows(input);
        assertThat(rows.rows().get(0).values()).containsExactly(1);
        assertThat(rows.rows().get(2).values()).isEmpty();
    }

    @Test
    void earlierStepsCountOnlyWithAllSteps() {
        LinearInput input =
                LinearInput.of(List.of(texts("", "maps", "taxi"), texts("", "maps", "taxi")), List.of(LENGTH));
        int[] all = {0, 1};

        assertThat(FeatureExtractor.Counts.learn(
                                new MemberPlan.Terms(TextAnalyzer.WORDS, MemberPlan.Terms.Scope.LAST), input, all)
                        .vectorizer()
                        .columns())
                .containsOnlyKeys("taxi");
        assertThat(FeatureExtractor.Counts.learn(
                                new MemberPlan.Terms(TextAnalyzer.WORDS, MemberPlan.Terms.Scope.ALL), input, all)
                        .vectorizer()
                        .columns())
                .containsOnlyKeys("maps", "taxi", "maps taxi");
    }
}
