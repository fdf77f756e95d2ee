package dev.prpf.eval.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.eval.suite.KnowU.Familiarity;
import dev.prpf.mpp.ensemble.NestedFolds;
import dev.prpf.mpp.gate.RocCurve;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests the tables of suites with an ensemble gate, with a fake perceiver. */
class EnsembleExperimentTest {
    private static final List<DecisionPoint> POINTS = MadePoints.traces(6, 6);
    private static final List<EventVectors> VECTORS = EventVectors.of(POINTS, List.of(LetterEncoder.LETTERS));
    private static final NestedFolds FOLDS = NestedFolds.leaveOneOut(MadePoints.groups(POINTS), 3);

    private static SuiteResult result() {
        return experiment().result("points", EnsembleExperiment.Threshold.HIGHEST_F1, "a note");
    }

    private static EnsembleExperiment experiment() {
        return new EnsembleExperiment("toy", POINTS, FOLDS, VECTORS).train(MadePoints.byLength());
    }

    @Test
    void theTableHasMixturePerceiverMembersAndBaselinesWithOurLead() {
        SuiteResult result = result();

        assertThat(MadePoints.rows(result.primary()))
                .extracting(SuiteRow::name)
                .containsExactly(
                        "mixture, highest F1 inside",
                        "mixture with MPP, highest F1 inside",
                        "MPP, highest F1 inside",
                        "never",
                        "always",
                        "naive Bayes",
                        "naive Bayes, highest F1 inside",
                        "TF-IDF + LR",
                        "TF-IDF + LR, highest F1 inside",
                        "letters + LR",
                        "letters + LR, highest F1 inside");
        assertThat(MadePoints.rows(result.primary())).allSatisfy(row -> {
            assertThat(row.n()).isEqualTo(36);
            assertThat(row.oursMinus() == null).isEqualTo(row.kind() == SuiteRow.Kind.OURS);
        });
        SuiteRow tfIdf = MadePoints.rows(result.primary()).get(7);
        SuiteRow.Lead lead = Objects.requireNonNull(tfIdf.oursMinus());
        double ours =
                Objects.requireNonNull(MadePoints.rows(result.primary()).get(0).auc());
        assertThat(lead.auc()).isEqualTo(ours - Objects.requireNonNull(tfIdf.auc()));
        assertThat(lead.aucCi()).isNotNull();
    }

    @Test
    void theInnerScoresOfEveryGateAndMixtureArePartOfTheResult() {
        assertThat(result().inner())
                .extracting(SuiteResult.InnerScore::name)
                .containsExactly("MPP", "naive Bayes", "TF-IDF + LR", "letters + LR", "mixture", "mixture with MPP");
        NestedScores alone = NestedScores.of(POINTS, FOLDS, MadePoints.byLength(), "alone");
        double sum = 0;
        for (int part = 0; part < 3; part++) {
            sum += Objects.requireNonNull(RocCurve.area(alone.inner().get(part), alone.innerLabels(part)));
        }
        assertThat(result().inner().get(0).auc()).isEqualTo(sum / 3);
        assertThat(result().text().lines())
                .anySatisfy(line ->
                        assertThat(line).startsWith("AUC on inner folds").contains("mixture with MPP 0."));
    }

    @Test
    void theMixturesWeightsAreAmongTheNotes() {
        List<String> notes = result().notes();

        assertThat(notes).hasSize(2).first().isEqualTo("a note");
        assertThat(notes.get(1))
                .startsWith(
                        "Weights of the mixture, chosen on inner folds for each outer split, of letters + LR, TF-IDF + LR: ");
        assertThat(notes.get(1).substring(notes.get(1).indexOf(": ") + 2).split("; "))
                .hasSize(3)
                .allSatisfy(weights -> assertThat(weights).matches("[01]\\.\\d\\d [01]\\.\\d\\d"));
    }

    @Test
    void aThresholdWithinABoundHasThatFalseTriggerRateOnInnerPoints() {
        EnsembleExperiment.Threshold rule = EnsembleExperiment.Threshold.within(17);
        double[] scores = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
        boolean[] labels = {false, false, false, false, false, true, false, true, true, true};

        assertThat(rule.name()).isEqualTo(", FTR <= 17 inside");
        assertThat(rule.rule().threshold(scores, labels)).isGreaterThan(5).isLessThanOrEqualTo(6);
    }

    @Test
    void aMixtureOfAnUnknownGateIsRefused() {
        EnsembleExperiment experiment = experiment();
        assertThatThrownBy(() -> experiment.mix("odd", List.of("MPP", "tea leaves")))
                .hasMessageContaining("no gate 'tea leaves', there are [MPP,");
    }

    @Test
    void whatComesBackIsFamiliarEvenInAHistoryNeverSeen() {
        List<DecisionPoint> habits = new ArrayList<>();
        for (String who : List.of("m", "n")) {
            List<DecisionPoint.Event> log = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                boolean routine = i % 2 == 0;
                String text = routine ? "aaa" + who : Character.toString('b' + i / 2) + Character.toString('z' - i / 2);
                log.add(new DecisionPoint.Event("", text));
                habits.add(new DecisionPoint(who + i, List.of(), log, routine));
            }
        }
        Familiarity familiarity = new Familiarity(EventVectors.of(habits, LetterEncoder.LETTERS));

        double[] scores = familiarity.train(habits.subList(0, 20)).score(habits.subList(22, 40));

        assertThat(RocCurve.area(scores, Scored.labels(habits.subList(22, 40)))).isEqualTo(1.0);
        double first = familiarity.train(habits.subList(0, 20)).score(habits.subList(20, 21))[0];
        assertThat(first).isBetween(0.0, 1.0); // it has no earlier events
    }
}
