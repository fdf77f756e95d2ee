package dev.prpf.eval.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.mpp.ensemble.NestedFolds;
import dev.prpf.mpp.ensemble.ScoreEnsemble;
import dev.prpf.mpp.gate.RocCurve;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The tables of the suites whose gate is an ensemble, with a stand-in for the perceiver. */
class EnsembleExperimentTest {
    private static final List<DecisionPoint> POINTS = MadePoints.traces(6, 6);
    private static final EventVectors VECTORS = EventVectors.of(POINTS, LetterEncoder::new);
    private static final NestedFolds FOLDS = NestedFolds.leaveOneOut(MadePoints.groups(POINTS), 3);

    private static SuiteResult result() {
        return experiment()
                .result(
                        "points",
                        List.of(List.of("MPP", "TF-IDF + LR"), List.of("MPP", "naive Bayes")),
                        EnsembleExperiment.EQUAL,
                        "a note");
    }

    private static EnsembleExperiment experiment() {
        return new EnsembleExperiment("toy", POINTS, FOLDS, VECTORS).train(MadePoints.byLength());
    }

    @Test
    void theTableHoldsTheEnsembleThePerceiverAloneAndEveryBaselineWithOurLead() {
        SuiteResult result = result();

        assertThat(MadePoints.rows(result.primary()))
                .extracting(SuiteRow::name)
                .containsExactly(
                        "MPP and TF-IDF + LR, mixed, highest F1 inside",
                        "MPP, highest F1 inside",
                        "never",
                        "always",
                        "naive Bayes",
                        "naive Bayes, highest F1 inside",
                        "TF-IDF + LR",
                        "TF-IDF + LR, highest F1 inside",
                        "embedding + LR",
                        "embedding + LR, highest F1 inside");
        assertThat(MadePoints.rows(result.primary())).allSatisfy(row -> {
            assertThat(row.n()).isEqualTo(36);
            assertThat(row.oursMinus() == null).isEqualTo(row.kind() == SuiteRow.Kind.OURS);
        });
        SuiteRow tfIdf = MadePoints.rows(result.primary()).get(6);
        SuiteRow.Lead lead = Objects.requireNonNull(tfIdf.oursMinus());
        assertThat(lead.auc())
                .isEqualTo(Objects.requireNonNull(
                                MadePoints.rows(result.primary()).get(0).auc())
                        - Objects.requireNonNull(tfIdf.auc()));
        assertThat(lead.aucCi()).isNotNull();
    }

    @Test
    void theInnerScoresOfEveryGateAndEnsembleArePartOfTheResult() {
        assertThat(result().inner())
                .extracting(SuiteResult.InnerScore::name)
                .containsExactly(
                        "MPP",
                        "TF-IDF + LR",
                        "naive Bayes",
                        "embedding + LR",
                        "MPP and TF-IDF + LR, mixed",
                        "MPP and naive Bayes, mixed");
        NestedScores alone = NestedScores.of(POINTS, FOLDS, MadePoints.byLength(), "alone");
        double sum = 0;
        for (int part = 0; part < 3; part++) {
            sum += Objects.requireNonNull(RocCurve.area(alone.inner().get(part), alone.innerLabels(part)));
        }
        assertThat(result().inner().get(0).auc()).isEqualTo(sum / 3);
        assertThat(result().text().lines())
                .anySatisfy(line ->
                        assertThat(line).startsWith("AUC on inner folds").contains("MPP and naive Bayes, mixed 0."));
    }

    @Test
    void weightsThatAreChosenAreAmongTheNotesAndEqualOnesAreNot() {
        SuiteResult chosen = experiment()
                .result("points", List.of(List.of("MPP", "naive Bayes")), ScoreEnsemble::weighted, "a note");

        assertThat(chosen.notes()).hasSize(2).first().isEqualTo("a note");
        assertThat(chosen.notes().get(1))
                .startsWith(
                        "Weights of the primary gate, chosen on inner folds for each fold held out, of MPP, naive Bayes: ");
        assertThat(chosen.notes()
                        .get(1)
                        .substring(chosen.notes().get(1).indexOf(": ") + 2)
                        .split("; "))
                .hasSize(3)
                .allSatisfy(weights -> assertThat(weights).matches("[01]\\.\\d\\d [01]\\.\\d\\d"));
        assertThat(result().notes()).containsExactly("a note");
    }

    @Test
    void anEnsembleOfAnUnknownGateIsRefused() {
        EnsembleExperiment experiment = experiment();
        assertThatThrownBy(() -> experiment.result(
                        "points", List.of(List.of("MPP", "tea leaves")), EnsembleExperiment.EQUAL, ""))
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
        Familiarity familiarity = new Familiarity(EventVectors.of(habits, LetterEncoder::new));

        double[] scores = familiarity.train(habits.subList(0, 20)).score(habits.subList(22, 40));

        assertThat(RocCurve.area(scores, Scored.labels(habits.subList(22, 40)))).isEqualTo(1.0);
        double first = familiarity.train(habits.subList(0, 20)).score(habits.subList(20, 21))[0];
        assertThat(first).isBetween(0.0, 1.0); // nothing came before it
    }
}
