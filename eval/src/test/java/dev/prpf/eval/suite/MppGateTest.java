package dev.prpf.eval.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.mpp.gate.RocCurve;
import dev.prpf.mpp.training.MppConfig;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MppGateTest {
    private static final List<DecisionPoint> POINTS = MadePoints.traces(4, 6);
    private static final EventVectors VECTORS = EventVectors.of(POINTS, LetterEncoder.LETTERS);

    private static MppGate.Settings settings(
            int events, int seeds, double scale, double dropout, int epochs, double learningRate) {
        return new MppGate.Settings(
                events, seeds, scale, 16, dropout, epochs, new MppConfig.Optimizer(learningRate, 0, 8));
    }

    private final MppGate gate = new MppGate(settings(2, 2, 1, 0.3, 3, 3e-3), VECTORS);

    @Test
    void learnsWhatTheLastEventSays() {
        List<DecisionPoint> searching = POINTS.stream()
                .map(point ->
                        DecisionPoint.inTrace(point.events(), point.lastText().startsWith("search")))
                .toList();

        MppGate one = new MppGate(settings(2, 1, 1, 0, 25, 5e-3), VECTORS);
        double[] scores = one.train(searching.subList(0, 18)).score(searching.subList(18, 24));

        Double area = RocCurve.area(scores, Scored.labels(searching.subList(18, 24)));
        assertThat(area).isGreaterThan(0.9);
        assertThat(java.util.Arrays.stream(scores)).allMatch(score -> score > 0 && score < 1);
    }

    @Test
    void earlierTrainingsDoNotChangeAnyBitOfTheScores() {
        double[] first = gate.train(POINTS.subList(0, 18)).score(POINTS.subList(18, 24));
        gate.train(POINTS.subList(6, 24));
        double[] again = gate.train(POINTS.subList(0, 18)).score(POINTS.subList(18, 24));

        assertThat(again).isEqualTo(first);
    }

    @Test
    void aGateStaysWhatItWasWhenAnotherIsTrained() {
        GateTrainer.Gate early = gate.train(POINTS.subList(0, 18));
        double[] before = early.score(POINTS.subList(18, 24));
        gate.train(POINTS.subList(6, 24));

        assertThat(early.score(POINTS.subList(18, 24))).isEqualTo(before);
    }

    @Test
    void setsNothingForTheWholeProcess() {
        gate.train(POINTS.subList(0, 18)).score(POINTS.subList(18, 24)); // loads the engine, which sets its own
        Map<Object, Object> before = Map.copyOf(System.getProperties());

        gate.train(POINTS.subList(0, 18)).score(POINTS.subList(18, 24));

        assertThat(System.getProperties()).containsExactlyInAnyOrderEntriesOf(before);
    }

    @Test
    void refusesMoreEventsThanThePerceiverSees() {
        assertThatThrownBy(() -> settings(5, 1, 1, 0, 1, 1e-3)).hasMessageContaining("events = 5 must be 1 to 4");
    }

    @Test
    void refusesAScaleThatWouldWipeOutTheVectors() {
        assertThatThrownBy(() -> settings(1, 1, 0, 0, 1, 1e-3)).hasMessageContaining("scale = 0.0 must be above 0");
    }

    @Test
    void theScaleIsOfWhatThePerceiverSees() {
        MppGate small = new MppGate(settings(2, 1, 1, 0, 3, 3e-3), VECTORS);
        MppGate large = new MppGate(settings(2, 1, 16, 0, 3, 3e-3), VECTORS);
        List<DecisionPoint> training = POINTS.subList(0, 18);
        List<DecisionPoint> test = POINTS.subList(18, 24);

        assertThat(large.train(training).score(test))
                .isNotEqualTo(small.train(training).score(test));
    }
}
