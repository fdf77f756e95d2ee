package dev.prpf.eval.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LeaveOneTraceOutTest {
    private static final List<DecisionPoint> POINTS = points(5, 6);

    @Test
    void noTraceIsOnBothSidesOfAnySplit() {
        List<DecisionPoint> real = RealData.bench().real();

        List<TraceFold> folds = TraceFold.leaveOneOut(real);

        assertThat(folds).hasSize(12).allSatisfy(fold -> {
            assertThat(TraceFold.traces(fold.train())).doesNotContainAnyElementsOf(TraceFold.traces(fold.test()));
            assertThat(fold.train().size() + fold.test().size()).isEqualTo(233);
        });
        assertThat(folds.stream().mapToInt(fold -> fold.test().size()).sum()).isEqualTo(233);
    }

    @Test
    void aFoldThatSharesATraceCannotBeMade() {
        assertThatThrownBy(() -> new TraceFold(POINTS, POINTS.subList(0, 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("traces on both sides of a split");
    }

    @Test
    void aGateIsNeverScoredOnATraceItWasTrainedOn() {
        List<Set<DecisionPoint.Event>> trainings = new ArrayList<>();
        GateTrainer spy = training -> {
            Set<DecisionPoint.Event> seen = TraceFold.traces(training);
            trainings.add(seen);
            return points -> {
                assertThat(TraceFold.traces(points)).isNotEmpty().doesNotContainAnyElementsOf(seen);
                return new double[points.size()];
            };
        };

        new LeaveOneTraceOut(points(12, 3)).within(20, spy, "spy");

        assertThat(trainings.stream().filter(seen -> seen.size() == 11)).hasSize(12); // one without each trace
        assertThat(trainings.stream().filter(seen -> seen.size() == 8))
                .hasSize(15); // one without each two of six pairs
        assertThat(trainings).hasSize(27);
    }

    @Test
    void theThresholdDoesNotDependOnTheHeldOutTracesLabels() {
        GateTrainer byLength = training -> points ->
                points.stream().mapToDouble(point -> point.lastText().length()).toArray();
        DecisionPoint.Event held = POINTS.get(0).trace();
        List<DecisionPoint> flipped = POINTS.stream()
                .map(point ->
                        point.trace().equals(held) ? new DecisionPoint(point.events(), !point.helpNeeded()) : point)
                .toList();

        boolean[] before =
                new LeaveOneTraceOut(POINTS).within(20, byLength, "a").decisions();
        boolean[] after =
                new LeaveOneTraceOut(flipped).within(20, byLength, "b").decisions();

        for (int i = 0; i < before.length; i++) {
            if (POINTS.get(i).trace().equals(held)) {
                assertThat(after[i]).isEqualTo(before[i]);
            }
        }
        assertThat(before).contains(true).contains(false);
    }

    @Test
    void scoresStandAtTheirPointsThoughTracesInterleave() {
        List<DecisionPoint> mixed = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            for (int trace = 0; trace < 5; trace++) {
                mixed.add(POINTS.get(trace * 6 + i));
            }
        }
        GateTrainer byLength = training -> points ->
                points.stream().mapToDouble(point -> point.lastText().length()).toArray();

        Scored scored = new LeaveOneTraceOut(mixed).at(0.5, byLength);

        assertThat(scored.scores())
                .isEqualTo(mixed.stream()
                        .map(point -> (double) point.lastText().length())
                        .toList());
    }

    /** In each trace texts grow; help is due at the longer ones, with one exception a trace. */
    static List<DecisionPoint> points(int traces, int length) {
        List<DecisionPoint> points = new ArrayList<>();
        for (int trace = 0; trace < traces; trace++) {
            List<DecisionPoint.Event> events = new ArrayList<>();
            for (int i = 0; i < length; i++) {
                String action = (i + trace) % 3 == 0 ? "search " : "type ";
                events.add(new DecisionPoint.Event("" + trace, action + "x".repeat(i + 1) + " " + trace));
                points.add(new DecisionPoint(events, i % 2 == 1 ^ i == trace));
            }
        }
        return points;
    }
}
