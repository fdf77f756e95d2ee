package dev.prpf.eval.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.mpp.ensemble.NestedFolds;
import dev.prpf.mpp.ensemble.ScoreEnsemble;
import dev.prpf.mpp.gate.RocCurve;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NestedScoresTest {
    private static final List<DecisionPoint> POINTS = MadePoints.traces(5, 6);

    private static NestedFolds folds(List<DecisionPoint> points) {
        return NestedFolds.leaveOneOut(MadePoints.groups(points), 6);
    }

    private static Set<String> groups(List<DecisionPoint> points) {
        return new HashSet<>(MadePoints.groups(points));
    }

    @Test
    void noGateIsScoredOnItsTrainingTracesOrTrainedTwice() {
        List<Set<String>> trainings = new ArrayList<>();
        GateTrainer spy = training -> {
            Set<String> seen = groups(training);
            trainings.add(seen);
            return points -> {
                assertThat(groups(points)).isNotEmpty().doesNotContainAnyElementsOf(seen);
                return new double[points.size()];
            };
        };
        List<DecisionPoint> points = MadePoints.traces(12, 3);

        NestedScores.of(points, folds(points), spy, "spy");

        assertThat(trainings.stream().filter(seen -> seen.size() == 11)).hasSize(12); // one per left-out trace
        assertThat(trainings.stream().filter(seen -> seen.size() == 8))
                .hasSize(15); // one per left-out pair of six parts
        assertThat(trainings).hasSize(27).doesNotHaveDuplicates();
    }

    @Test
    void neitherThresholdNorEnsembleDependsOnTheHeldOutTracesLabels() {
        String held = POINTS.get(0).group();
        List<DecisionPoint> flipped = POINTS.stream()
                .map(point ->
                        point.group().equals(held) ? DecisionPoint.inTrace(point.events(), !point.helpNeeded()) : point)
                .toList();

        ScoreEnsemble.Rule equal = (scores, labels) -> ScoreEnsemble.equal(scores);
        for (ScoreEnsemble.Rule ensemble : List.of(equal, ScoreEnsemble::weighted)) {
            assertBlind(held, flipped, (scores, labels) -> RocCurve.mostRecallWithin(20, scores, labels), ensemble);
            assertBlind(held, flipped, RocCurve::highestF1, ensemble);
        }
    }

    private static void assertBlind(
            String held, List<DecisionPoint> flipped, NestedScores.DecisionRule rule, ScoreEnsemble.Rule ensemble) {
        Scored before = ensembleDecisions(POINTS, rule, ensemble);
        Scored after = ensembleDecisions(flipped, rule, ensemble);

        for (int i = 0; i < POINTS.size(); i++) {
            if (POINTS.get(i).group().equals(held)) {
                assertThat(after.decisions()[i]).isEqualTo(before.decisions()[i]);
                assertThat(Objects.requireNonNull(after.scores())[i])
                        .isEqualTo(Objects.requireNonNull(before.scores())[i]);
            }
        }
        assertThat(before.decisions()).contains(true).contains(false);
    }

    private static Scored ensembleDecisions(
            List<DecisionPoint> points, NestedScores.DecisionRule rule, ScoreEnsemble.Rule ensemble) {
        NestedScores bayes = NestedScores.of(points, folds(points), BaselineGates.naiveBayes(), "a");
        NestedScores regression = NestedScores.of(points, folds(points), BaselineGates.tfIdf(), "b");
        return NestedScores.ensemble(List.of(bayes, regression), ensemble).by(rule);
    }

    @Test
    void scoresStandAtTheirPointsThoughTracesInterleave() {
        List<DecisionPoint> mixed = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            for (int trace = 0; trace < 5; trace++) {
                mixed.add(POINTS.get(trace * 6 + i));
            }
        }

        NestedScores scores = NestedScores.of(mixed, folds(mixed), MadePoints.byLength(), "c");

        double[] lengths =
                mixed.stream().mapToDouble(point -> point.lastText().length()).toArray();
        assertThat(scores.outer()).containsExactly(lengths);
        assertThat(scores.inner()).hasSize(5).allSatisfy(inner -> assertThat(inner)
                .hasSize(24));
        assertThat(scores.inner().get(0))
                .containsExactly(mixed.stream()
                        .filter(point -> !point.group().equals(mixed.get(0).group()))
                        .mapToDouble(point -> point.lastText().length())
                        .toArray());
    }

    @Test
    void eachSplitSelectsItsVariantByInnerLossOnly() {
        String held = POINTS.get(0).group();
        List<DecisionPoint> flipped = POINTS.stream()
                .map(point ->
                        point.group().equals(held) ? DecisionPoint.inTrace(point.events(), !point.helpNeeded()) : point)
                .toList();

        double[] scores = NestedScores.best(POINTS, folds(POINTS), knowing(POINTS), "variants")
                .outer();
        double[] blind = NestedScores.best(flipped, folds(flipped), knowing(POINTS), "variants")
                .outer();

        for (int i = 0; i < scores.length; i++) { // the second variant knows the labels
            assertThat(scores[i]).isEqualTo(POINTS.get(i).helpNeeded() ? 0.9 : 0.1);
        }
        for (int i = 0; i < 6; i++) {
            assertThat(blind[i]).isEqualTo(scores[i]);
        }
    }

    /** Three variants: a constant, the labels of the given points, and their opposite. */
    private static NestedScores.Variants knowing(List<DecisionPoint> points) {
        return (training, held) -> {
            double[][] scores = new double[3][held.length];
            for (int k = 0; k < held.length; k++) {
                double right = points.get(held[k]).helpNeeded() ? 0.9 : 0.1;
                scores[0][k] = 0.5;
                scores[1][k] = right;
                scores[2][k] = 1 - right;
            }
            return scores;
        };
    }

    @Test
    void anEnsembleBringsGatesToOneScaleAndIgnoresAConstantOne() {
        double[] steep = {0.01, 0.5, 0.99};
        double[] flat = {0.49, 0.5, 0.51};
        double[] constant = {0.3, 0.3, 0.3};

        double[] mixed = ScoreEnsemble.equal(new double[][] {steep, flat}).apply(new double[][] {steep, flat});

        assertThat(mixed[1]).isCloseTo(0, within(1e-9));
        assertThat(mixed[2]).isCloseTo(Math.sqrt(1.5), within(1e-6)); // of three points at -a, 0, a
        double[] half = ScoreEnsemble.equal(new double[][] {steep, constant}).apply(new double[][] {steep, constant});
        assertThat(half[2]).isCloseTo(Math.sqrt(1.5) / 2, within(1e-6));
        double[] certain = ScoreEnsemble.equal(new double[][] {{0, 1}}).apply(new double[][] {{0, 1}});
        assertThat(certain).containsExactly(new double[] {-1, 1}, within(1e-6));
    }
}
