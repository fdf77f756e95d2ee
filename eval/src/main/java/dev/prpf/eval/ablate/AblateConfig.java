package dev.prpf.eval.ablate;

import dev.prpf.base.config.Rule;
import dev.prpf.eval.score.ClusterBy;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of {@code eval ablate}, as in configs/ablate.yaml. Texts may have {@link dev.prpf.base.workflow.Placeholders}.
 *
 * @param places names for paths and other values that several texts share; {@code {NAME}} stands for one
 * @param options names for options that several command lines share; a word that is {@code {options.NAME}} stands for their words
 * @param scoring what all runs are scored against
 * @param store encodings that runs without costs of their own share
 * @param models by name
 * @param everyRun what {@code eval run} is told in every run
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
        places = inOrder(places);
        options = inOrder(options);
        models = inOrder(models);
        runs = inOrder(runs);
        tables = inOrder(tables);
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

    private static <T> Map<String, T> inOrder(Map<String, T> named) {
        return Collections.unmodifiableMap(new LinkedHashMap<>(named));
    }

    /**
     * How all runs are scored.
     *
     * @param gold labelled samples
     * @param pool of their functions
     * @param scenarios null: no metrics out of distribution
     * @param resamples bootstrap draws
     * @param seed of the bootstrap
     * @param clusterBy what a draw holds or leaves out together
     */
    public record Scoring(
            String gold, String pool, @Nullable String scenarios, int resamples, long seed, ClusterBy clusterBy) {
        public Scoring {
            Rule.require(resamples >= 1, "resamples", resamples, "at least 1");
        }
    }

    /**
     * A trained model.
     *
     * @param commands that make it, each a prpf command line; none for one that is there already
     * @param gives the path that {@code {models.NAME}} stands for
     */
    public record Model(List<String> commands, String gives) {
        public Model {
            commands = List.copyOf(commands);
            Rule.require(!gives.isBlank(), "gives", "\"" + gives + "\"", "a path");
        }
    }

    /**
     * A run of {@code eval run}.
     *
     * @param arguments beside those of every run
     * @param seeds one run each, with {@code {seed}} in the arguments; none for one run
     * @param costs whether its costs are measured: in a process and with a store of its own
     */
    public record Run(String arguments, List<Long> seeds, boolean costs) {
        public Run {
            seeds = List.copyOf(seeds);
            Rule.require(seeds.stream().distinct().count() == seeds.size(), "seeds", seeds, "different");
            boolean seeded = arguments.contains("{seed}");
            Rule.require(
                    seeded != seeds.isEmpty(),
                    "seeds",
                    seeds,
                    seeded ? "at least one, for {seed} stands in the arguments" : "empty, or {seed} in the arguments");
        }
    }

    /**
     * A row of a table.
     *
     * @param name of the system, as the table shows it
     * @param runs that it is of; several are the same system with other seeds
     * @param against the row that it is compared with; null for none
     */
    public record Row(String name, List<String> runs, @Nullable String against) {
        public Row {
            runs = List.copyOf(runs);
            Rule.require(!runs.isEmpty(), "runs of the row \"" + name + "\"", runs, "at least one");
            Rule.require(
                    runs.stream().distinct().count() == runs.size(),
                    "runs of the row \"" + name + "\"",
                    runs,
                    "different");
        }
    }
}
