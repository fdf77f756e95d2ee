package dev.prpf.eval.ablate;

import dev.prpf.base.workflow.ParsedCommand;
import dev.prpf.eval.ablate.AblateConfig.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Conditions under which the costs of a table's rows are comparable. */
final class CostRules {
    /** Options that determine how many samples share a pass, and its cost. */
    private static final List<String> BATCHING = List.of("--batch-size", "--dtype");

    private CostRules() {}

    /**
     * Returns rows that are not exactly one measured run.
     *
     * @param place of the table in the configuration
     * @param runs all known runs by name
     */
    static List<String> defects(String place, List<Row> rows, Map<String, AblationPlan.Run> runs) {
        List<String> defects = new ArrayList<>();
        for (Row row : rows) {
            List<AblationPlan.Run> known =
                    row.runs().stream().map(runs::get).filter(Objects::nonNull).toList();
            if (row.runs().size() > 1
                    || known.stream()
                            .anyMatch(run -> !run.costs() || run.evaluations().size() > 1)) {
                defects.add(place + ", row \"" + row.name()
                        + "\": must be one run without seeds, with costs: true, for costs are compared");
            }
        }
        return defects;
    }

    /**
     * Returns runs with different batching.
     *
     * @param place of the table in the configuration
     * @param rows with one known run each
     */
    static List<String> batchingDefects(String place, List<Row> rows, Map<String, AblationPlan.Run> runs) {
        Map<String, String> batching = new LinkedHashMap<>();
        for (Row row : rows) {
            AblationPlan.Run run = Objects.requireNonNull(runs.get(row.runs().get(0)));
            ParsedCommand command = run.evaluations().get(0).command();
            batching.put(
                    row.name(),
                    BATCHING.stream()
                            .map(option -> option + " "
                                    + String.valueOf(command.effective(option)).toLowerCase(Locale.ROOT))
                            .collect(Collectors.joining(" and ")));
        }
        if (batching.values().stream().distinct().count() < 2) {
            return List.of();
        }
        return List.of(place + ": its runs batch differently, which changes the cost of a prediction: "
                + batching.entrySet().stream()
                        .map(row -> row.getKey() + " has " + row.getValue())
                        .collect(Collectors.joining(", ")));
    }
}
