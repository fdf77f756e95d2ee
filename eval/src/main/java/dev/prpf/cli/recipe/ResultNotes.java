package dev.prpf.cli.recipe;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.eval.report.PipelineReport;
import dev.prpf.eval.score.Metric;
import dev.prpf.eval.score.Metrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Judges the results on the test records in sentences, each with its next step. */
final class ResultNotes {
    private static final int NAMED = 5;
    private static final double FAR = 20;

    private ResultNotes() {}

    /** Prints the notes to stderr, so that {@code --json} leaves stdout to the result. */
    static void print(PipelineReport report, Recipe recipe, FunctionPool pool, List<Sample> test) {
        List<String> notes = new ArrayList<>();
        if (RecipeResults.isSilent(report.gates())) {
            notes.add("the gate passes no acting test record; give more records, or train with a higher"
                    + " gate.false-triggers and another --run-dir");
        }
        notes.addAll(ofMetrics(report.overall(), recipe.isTiny()));
        notes.addAll(untested(pool, test));
        notes.forEach(note -> System.err.println("note: " + note));
    }

    /** Returns at most one note: the functions that no test record calls. */
    static List<String> untested(FunctionPool pool, List<Sample> test) {
        Set<String> called = test.stream()
                .flatMap(sample -> sample.validSequences().stream())
                .flatMap(List::stream)
                .map(FunctionCall::name)
                .collect(Collectors.toSet());
        List<String> missing =
                pool.names().stream().filter(name -> !called.contains(name)).toList();
        int more = missing.size() - NAMED;
        return missing.isEmpty()
                ? List.of()
                : List.of(String.format(
                        "no test record calls %d of %d functions: %s%s; the metrics say nothing about them, so add"
                                + " records that call them",
                        missing.size(),
                        pool.names().size(),
                        missing.stream().limit(NAMED).collect(Collectors.joining(", ")),
                        more > 0 ? " and " + more + " more" : ""));
    }

    /** Returns notes about baselines that the cascade does not exceed, and about wrong values in calls with the right name. */
    static List<String> ofMetrics(Map<String, Metrics> systems, boolean tiny) {
        List<String> notes = new ArrayList<>();
        double success = percent(systems, RecipeResults.CASCADE, Metric.SR);
        boolean acting = !Double.isNaN(percent(systems, RecipeResults.CASCADE, Metric.SR_ACT));
        String better = Stream.of("always_silent", RecipeResults.TEXT_GATE)
                .filter(name -> acting && percent(systems, name, Metric.SR) >= success)
                .map(name -> String.format(Locale.ROOT, "%s (%.1f %%)", name, percent(systems, name, Metric.SR)))
                .collect(Collectors.joining(" and "));
        if (!better.isEmpty()) {
            notes.add(String.format(
                    Locale.ROOT,
                    "the cascade's SR of %.1f %% is not better than that of %s; give more records before you use it",
                    success,
                    better));
        }
        double named = percent(systems, RecipeResults.CASCADE, Metric.NAMES_ACT);
        double right = percent(systems, RecipeResults.CASCADE, Metric.SR_ACT);
        if (named - right >= FAR) {
            notes.add(String.format(
                    Locale.ROOT,
                    "%.1f %% of the acting records get a call with the right name, but only %.1f %% the right values too:"
                            + " mostly values or further calls are wrong, not the function; give more records, or train a %s",
                    named,
                    right,
                    tiny ? "pretrained reasoner (preset: small)" : "larger reasoner.base"));
        }
        return notes;
    }

    /** Returns a metric, or NaN if the system or the metric is missing. */
    private static double percent(Map<String, Metrics> systems, String system, Metric metric) {
        Metrics metrics = systems.get(system);
        Double value = metrics == null ? null : metrics.get(metric);
        return value == null ? Double.NaN : value;
    }
}
