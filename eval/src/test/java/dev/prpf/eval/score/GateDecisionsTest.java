package dev.prpf.eval.score;

import static dev.prpf.eval.score.Cases.calls;
import static dev.prpf.eval.score.Cases.gated;
import static dev.prpf.eval.score.Cases.malformed;
import static dev.prpf.eval.score.Cases.prediction;
import static dev.prpf.eval.score.Cases.reasoned;
import static dev.prpf.eval.score.Cases.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.Sample;
import dev.prpf.eval.score.Scores.GateDecisions;
import dev.prpf.mpp.gate.ConfusionMatrix;
import dev.prpf.par.cascade.Prediction;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class GateDecisionsTest {
    private static final List<Sample> GOLD =
            List.of(text("hit", calls("a")), text("missed", calls("a")), text("false"), text("kept"), text("other"));

    private static GateDecisions gate(Prediction missed, Prediction kept) {
        Scores scores = Cases.score(
                GOLD, reasoned("hit", calls("a")), missed, reasoned("false", calls("b")), kept, malformed("other"));
        return Objects.requireNonNull(scores.gate());
    }

    @Test
    void theRoutesAreTheDecisions() {
        GateDecisions gate = gate(gated("missed"), gated("kept"));
        assertThat(gate.counts()).isEqualTo(new ConfusionMatrix(1, 2, 1, 1));
        assertThat(gate.correctFiltering()).isEqualTo(50);
        assertThat(gate.routed()).isEqualTo(60);
    }

    @Test
    void aMalformedPerceiverAnswerIsAlwaysAWrongDecision() {
        GateDecisions gate = gate(unusable("missed"), unusable("kept"));
        assertThat(gate.counts()).isEqualTo(new ConfusionMatrix(1, 3, 0, 1));
        assertThat(gate.specificity()).isZero();
        assertThat(gate.recall()).isEqualTo(50);
        assertThat(gate.correctFiltering()).isZero();
        assertThat(gate.routed()).as("not to the reasoner all the same").isCloseTo(60, within(1e-9));
    }

    private static Prediction unusable(String id) {
        return prediction(id, Prediction.Route.SILENT, null);
    }

    @Test
    void itIsNoRightSilence() {
        Scores scores = Cases.score(List.of(text("kept"), text("other")), unusable("kept"), gated("other"));
        assertThat(scores.samples()).extracting(SampleScore::malformed).containsExactly(true, false);
        assertThat(Metric.TYPE_ACC.mean(scores.samples())).isEqualTo(50);
        assertThat(Metric.SR.mean(scores.samples())).isEqualTo(50);
        assertThat(Metric.F1.mean(scores.samples())).isEqualTo(50);
        assertThat(ErrorAnalysis.Outcome.of(scores.samples().get(0))).isEqualTo(ErrorAnalysis.Outcome.MALFORMED);
    }
}
