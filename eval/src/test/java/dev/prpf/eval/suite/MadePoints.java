package dev.prpf.eval.suite;

import java.util.ArrayList;
import java.util.List;

/** Synthetic decision points for tests. */
final class MadePoints {
    private MadePoints() {}

    /** Returns traces of growing texts; help is needed at every second one, with one exception per trace. */
    static List<DecisionPoint> traces(int traces, int length) {
        List<DecisionPoint> points = new ArrayList<>();
        for (int trace = 0; trace < traces; trace++) {
            List<DecisionPoint.Event> events = new ArrayList<>();
            for (int i = 0; i < length; i++) {
                String action = (i + trace) % 3 == 0 ? "search " : "type ";
                events.add(new DecisionPoint.Event("" + trace, action + "x".repeat(i + 1) + " " + trace));
                points.add(DecisionPoint.inTrace(events, i % 2 == 1 ^ i == trace));
            }
        }
        return points;
    }

    static List<String> groups(List<DecisionPoint> points) {
        return points.stream().map(DecisionPoint::group).toList();
    }

    /** Scores a point by the length of its last text, independent of training. */
    static GateTrainer byLength() {
        return training -> points ->
                points.stream().mapToDouble(point -> point.lastText().length()).toArray();
    }

    /** Returns a table's rows, all of them gates. */
    static List<SuiteRow> rows(SuiteResult.SuiteTable table) {
        return table.rows().stream().map(SuiteRow.class::cast).toList();
    }
}
