package dev.prpf.mpp.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.statistics.Interval;
import dev.prpf.data.Sample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Choices by scores of held-out folds, and their independence of a held-out fold's own labels. */
class OutOfFoldTest {
    private static final boolean[] LABELS = {true, true, true, false};

    @Test
    void theLogLossWeighsTheClassesTheSame() {
        double[] scores = {0.5, 0.5, 0.25, 0.2};
        double acting = (2 * Math.log(2) + Math.log(4)) / 3;
        double silent = -Math.log(0.8);

        assertThat(OutOfFold.logLoss(scores, LABELS)).isCloseTo((acting + silent) / 2, within(1e-12));
        assertThat(OutOfFold.logLoss(new double[] {0.5}, new boolean[] {true}))
                .as("of only one class")
                .isCloseTo(Math.log(2), within(1e-12));
    }

    @Test
    void strengthOfLeastLossIsTakenAndTheFirstOfEqualOnes() {
        double[] worse = {0.5, 0.5, 0.5, 0.5};
        double[] better = {0.9, 0.9, 0.9, 0.1};

        assertThat(OutOfFold.best(new double[][] {worse, better, better}, LABELS))
                .isEqualTo(1);
        assertThat(OutOfFold.best(new double[][] {worse}, LABELS)).isZero();
    }

    private static OutOfFold made(boolean[] labels) {
        SplittableRandom random = new SplittableRandom(5);
        double[][] scores = new double[3][labels.length];
        int[] folds = new int[labels.length];
        for (int i = 0; i < labels.length; i++) {
            folds[i] = i % 4;
            for (int m = 0; m < scores.length; m++) {
                double signal = i % 2 == 0 ? 0.15 * m : -0.15 * m;
                scores[m][i] = Math.min(0.99, Math.max(0.01, 0.5 + signal + random.nextDouble(-0.4, 0.4)));
            }
        }
        return new OutOfFold(scores, labels, folds);
    }

    private static boolean[] everySecond(int n) {
        boolean[] labels = new boolean[n];
        IntStream.range(0, n).forEach(i -> labels[i] = i % 2 == 0);
        return labels;
    }

    @Test
    void labelsOfAFoldChangeOnlyOtherFoldsMixtures() {
        boolean[] labels = everySecond(80);
        double[] before = made(labels).mixed();
        boolean[] flipped = labels.clone();
        IntStream.range(0, 80).filter(i -> i % 4 == 2).forEach(i -> flipped[i] = !flipped[i]);
        double[] after = made(flipped).mixed();

        for (int i = 2; i < 80; i += 4) {
            assertThat(after[i]).isEqualTo(before[i]);
        }
        assertThat(after).isNotEqualTo(before);
    }

    @Test
    void labelsOfAHeldOutFoldDoNotChangeItsScores() {
        List<Sample> samples = MadeTexts.samples(90, 2);
        LinearInput input = MadeTexts.input(samples);
        boolean[] labels = MadeTexts.acts(samples);
        boolean[] flipped = labels.clone();
        int[] held = IntStream.range(0, 30).toArray();
        int[] seen = IntStream.range(30, 90).toArray();
        IntStream.of(held).forEach(i -> flipped[i] = !flipped[i]);

        for (MemberPlan plan : plans()) {
            double[][] scores = plan.scores(input, targets(samples, labels), seen, held);
            assertThat(scores).hasDimensions(2, 30);
            assertThat(scores[0]).isNotEqualTo(scores[1]);
            assertThat(plan.scores(input, targets(samples, flipped), seen, held))
                    .isDeepEqualTo(scores);
            boolean[] others = labels.clone();
            IntStream.range(30, 45).forEach(i -> others[i] = !others[i]);
            assertThat(plan.scores(input, targets(samples, others), seen, held)[1])
                    .isNotEqualTo(scores[1]);
        }
    }

    private static MemberPlan.Targets targets(List<Sample> samples, boolean[] acts) {
        return new MemberPlan.Targets(acts, MadeTexts.scenarios(samples));
    }

    static List<MemberPlan> plans() {
        List<MemberPlan> plans =
                new ArrayList<>(MemberPlan.ofVectors(List.of("letters", "lengths"), List.of(0.1, 3.0)));
        plans.add(MemberPlan.ofTerms(TextAnalyzer.WORDS, List.of(0.1, 3.0)));
        plans.add(MemberPlan.ofHistory(TextAnalyzer.WORDS, List.of(0.1, 3.0)));
        return plans;
    }

    @Test
    void severalEncodersHaveAMemberEachAndOneForAll() {
        assertThat(MemberPlan.ofVectors(List.of("a"), List.of(1.0)))
                .extracting(MemberPlan::name)
                .containsExactly("a + LR");
        assertThat(plans())
                .extracting(MemberPlan::name)
                .containsExactly(
                        "letters + LR", "lengths + LR", "all encoders + LR", "TF-IDF + LR", "TF-IDF of all steps + LR");
        assertThatThrownBy(() -> MemberPlan.ofVectors(List.of("a"), List.of()))
                .hasMessage("c = [] must be at least one number");
    }

    @Test
    void theScaleGivesLogOddsThatRiseWithTheScore() {
        boolean[] labels = everySecond(40);
        double[] mixed = new double[40];
        Arrays.setAll(mixed, i -> labels[i] ? 1 : -1);
        LogisticRegression scale = OutOfFold.scale(mixed, labels);

        assertThat(scale.weights()[0]).isPositive();
        assertThat(scale.intercept()).isCloseTo(0, within(1e-6));
    }

    /** 2 x 2 pairs of which 3 are in order; groups of one sample, or all acting ones in one group. */
    @Test
    void theAreaHasAnIntervalOverGroups() {
        boolean[] labels = {true, false, true, false};
        double[] scores = {0.9, 0.1, 0.4, 0.6};
        OutOfFold.Figure alone = OutOfFold.area(scores, labels, List.of(0, 1, 2, 3));

        assertThat(alone.value()).isEqualTo(0.75);
        Interval interval = Objects.requireNonNull(alone.interval());
        assertThat(interval.low()).isLessThan(0.75);
        assertThat(interval.high()).isEqualTo(1);
        OutOfFold.Figure one = OutOfFold.area(scores, labels, List.of(0, 0, 0, 0));
        assertThat(one.value()).isEqualTo(0.75);
        assertThat(one.interval()).as("one group is all of every draw").isNull();
    }

    @Test
    void scoresOfOtherSamplesAreRefused() {
        assertThatThrownBy(() -> new OutOfFold(new double[][] {{0.5}}, LABELS, new int[4]))
                .hasMessage("scores of a member = 1 must be the number of labels");
    }
}
