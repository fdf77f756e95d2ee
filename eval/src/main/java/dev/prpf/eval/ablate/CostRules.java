package dev.prpf.eval.ablate;

import dev.prpf.eval.ablate.AblateConfig.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** What must hold of a table so that its rows' costs may stand beside each other. */
final class CostRules {
    /** They decide how many samples share a pass, and what it takes. */
    private static final List<String> BATCHING = List.of("--batch-size", "--dtype");

    private CostRules() {}

    /**
     * Rows that are not one run whose costs are measured, and runs that share passes otherwise.
     *
     * @param place of the table in the configuration
     * @param runs all that are known, by name
     */
    static List<String> defects(String place, List<Row> rows, Map<String, AblationPlan.Run> runs) {
        List<String> defects = new ArrayList<>();
        Map<String, String> batching = new LinkedHashMap<>();
        for (Row row : rows) {
            List<AblationPlan.Run> known =
                    row.runs().stream().map(runs::get).filter(Objects::nonNull).toList();
            if (row.runs().size() > 1
                    || known.stream()
                            .anyMatch(run -> !run.costs() || run.evaluations().size() > 1)) {
                defects.add(place + ", row \"" + row.name()
                        + "\": must be one run without seeds that has costs: true, for costs are compared");
            }
            known.forEach(run ->
                    batching.put(row.name(), batching(run.evaluations().get(0).command())));
        }
        if (batching.values().stream().distinct().count() > 1) {
            defects.add(place + ": its runs batch otherwise, which decides what a prediction costs: "
                    + batching.entrySet().stream()
                            .map(row -> row.getKey() + " has " + row.getValue())
                            .collect(Collectors.joining(", ")));
        }
        return defects;
    }

    private static String batching(List<String> command) {
        return BATCHING.stream()
                .map(option -> CommandWords.has(command, option)
                        ? option + " " + CommandWords.option(command, option)
                        : "the default " + option)
                .collect(Collectors.joining(" and "));
    }
}
