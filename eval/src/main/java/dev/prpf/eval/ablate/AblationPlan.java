package dev.prpf.eval.ablate;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.stage.Stage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What an ablation does: the commands that its tables need, in order, each once.
 *
 * @param steps models first, each after those that it is made of; then runs
 * @param runs by name, those that the tables need
 * @param tables rows by table
 * @param files what all runs are scored against
 * @param given models that are there already, by name
 */
public record AblationPlan(
        List<Step> steps,
        Map<String, Run> runs,
        Map<PaperTable, List<AblateConfig.Row>> tables,
        ScoredFiles files,
        Map<String, Path> given) {
    /** What the names of stages that make a model begin with. */
    static final String MODELS = "models.";

    public AblationPlan {
        steps = List.copyOf(steps);
        runs = Collections.unmodifiableMap(new LinkedHashMap<>(runs));
        tables = Collections.unmodifiableMap(new LinkedHashMap<>(tables));
        given = Collections.unmodifiableMap(new LinkedHashMap<>(given));
    }

    /**
     * A stage.
     *
     * @param stage its commands
     * @param measured the directory of a run whose costs are measured, else null: it has a process of its own, and where it was stopped it
     *     begins anew, since what it had encoded before would cost nothing
     */
    public record Step(Stage stage, @Nullable Path measured) {}

    /**
     * A run of {@code eval run}, over its seeds.
     *
     * @param evaluations one, or one a seed
     * @param costs whether its costs are measured
     */
    public record Run(List<Evaluation> evaluations, boolean costs) {
        public Run {
            evaluations = List.copyOf(evaluations);
        }
    }

    /** One set of predictions and the command that makes it. */
    public record Evaluation(Path predictions, List<String> command) {}

    /** Labelled samples, their functions and, for metrics out of distribution, the scenario catalogue. */
    public record ScoredFiles(Path gold, Path pool, @Nullable Path scenarios) {
        Stream<Path> all() {
            return scenarios == null ? Stream.of(gold, pool) : Stream.of(gold, pool, scenarios);
        }
    }

    /**
     * Plans.
     *
     * @param file the configuration's name, for messages
     * @param run the ablation's directory, {@code {run}}
     * @param configs the project's configurations, {@code {configs}}
     * @throws PrpfException 78 with every defect, one a line
     */
    public static AblationPlan of(String file, AblateConfig config, Path run, Path configs) {
        return new PlanMaker(config, run, configs).plan(file);
    }

    /** Files and folders that must be there before anything runs, and are not. */
    public List<Path> missing() {
        return Stream.of(files.all(), given.values().stream(), configurations())
                .flatMap(paths -> paths)
                .distinct()
                .filter(path -> !Files.exists(path))
                .toList();
    }

    /** What decides the results beside the configuration: hashes of the files that it names, by name. */
    public Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("gold_sha256", AtomicFiles.sha256(files.gold));
        facts.put("pool_sha256", AtomicFiles.sha256(files.pool));
        if (files.scenarios != null) {
            facts.put("scenarios_sha256", AtomicFiles.sha256(files.scenarios));
        }
        configurations().forEach(path -> facts.put(path + "_sha256", AtomicFiles.sha256(path)));
        return facts;
    }

    /** The configuration files that commands are given. */
    private Stream<Path> configurations() {
        List<Path> paths = new ArrayList<>();
        steps.stream().flatMap(step -> step.stage().commands().stream()).forEach(command -> Stream.of(
                        "--config", "--remote")
                .map(option -> CommandWords.option(command, option))
                .filter(value -> !value.isEmpty())
                .forEach(value -> paths.add(Path.of(value))));
        return paths.stream().distinct();
    }

    /** The command lines that make each model, in order; none for those that are there already. */
    Map<String, List<String>> models() {
        Map<String, List<String>> commands = new LinkedHashMap<>();
        given.forEach((name, path) -> commands.put(name, List.of()));
        steps.stream()
                .map(Step::stage)
                .filter(stage -> stage.name().startsWith(MODELS))
                .forEach(stage -> commands.put(stage.name().substring(MODELS.length()), stage.typed()));
        return commands;
    }
}
