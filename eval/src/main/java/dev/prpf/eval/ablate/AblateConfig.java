package dev.prpf.eval.ablate;

import dev.prpf.base.config.Rule;
import dev.prpf.eval.score.Scorer.ClusterBy;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of {@code eval ablate}, as in configs/ablate.yaml. Texts may have {@link dev.prpf.base.workflow.Placeholders}.
 *
 * @param places shared paths and other values by name; {@code {NAME}} is replaced by one
 * @param options shared options by name; the word {@code {options.NAME}} is replaced by their words
 * @param scoring data and settings by which all runs are scored
 * @param store encodings shared by runs without measured costs
 * @param models by name
 * @param everyRun arguments of {@code eval run} in every run
 * @param runs by name
 * @param tables rows by the table's key ({@link PaperTable})
 */
public record AblateConfig(
        Map<String, String> places,
        Map<String, String> options,
        Scoring scoring,
        String store,
        Map<String, Model> models,
        String everyRun,
        Map<String, Run> runs,
        Map<String, List<Row>> tables) {
    public AblateConfig {
        String keys = Stream.of(PaperTable.values()).map(PaperTable::configKey).collect(Collectors.joining(", "));
        for (Map.Entry<String, List<Row>> table : tables.entrySet()) {
            Rule.require(PaperTable.ofConfigKey(table.getKey()) != null, "tables", table.getKey(), "one of " + keys);
            Rule.require(!table.getValue().isEmpty(), "tables." + table.getKey(), "[]", "at least one row");
        }
        Rule.require(!tables.isEmpty(), "tables", "{}", "at least one of " + keys);
        Stream.of(places, options, models, runs)
                .flatMap(named -> named.keySet().stream())
                .forEach(name -> Rule.require(
                        name.matches("[A-Za-z0-9_-]+"), "the name", name, "letters, digits, hyphens and underscores"));
    }

    /**
     * Settings for scoring all runs.
     *
     * @param gold labelled samples
     * @param pool of their functions
     * @param scenarios scenario catalogue; null for no metrics out of distribution
     * @param resamples bootstrap draws
     * @param seed of the bootstrap
     * @param clusterBy samples that a draw includes or excludes together
     */
    public record Scoring(
            String gold, String pool, @Nullable String scenarios, int resamples, long seed, ClusterBy clusterBy) {
        public Scoring {
            Rule.require(resamples >= 1, "resamples", resamples, "at least 1");
        }
    }

    /**
     * A trained model of the ablation.
     *
     * @param commands that make it, each a prpf command line; empty for an existing model
     * @param gives the path that replaces {@code {models.NAME}}
     */
    public record Model(List<String> commands, String gives) {
        public Model {
            Rule.require(!gives.isBlank(), "gives", "\"" + gives + "\"", "a path");
        }
    }

    /**
     * A run of {@code eval run}.
     *
     * @param arguments in addition to those of every run
     * @param seeds one run each, with {@code {seed}} in the arguments; empty for one run
     * @param costs whether its costs are measured, in a separate process with a separate store
     */
    public record Run(String arguments, List<Long> seeds, boolean costs) {
        public Run {
            Rule.require(seeds.stream().distinct().count() == seeds.size(), "seeds", seeds, "different");
            boolean seeded = arguments.contains("{seed}");
            Rule.require(
                    seeded != seeds.isEmpty(),
                    "seeds",
                    seeds,
                    seeded ? "at least one, for the arguments hold {seed}" : "empty, or {seed} in the arguments");
        }
    }

    /**
     * A row of a table.
     *
     * @param name of the system in the table
     * @param runs of the system; several differ only in seeds
     * @param against the row to compare with; null for none
     */
    public record Row(String name, List<String> runs, @Nullable String against) {
        public Row {
            Rule.require(!runs.isEmpty(), "runs of the row \"" + name + "\"", runs, "at least one");
            Rule.require(
                    runs.stream().distinct().count() == runs.size(),
                    "runs of the row \"" + name + "\"",
                    runs,
                    "different");
        }
    }
}
