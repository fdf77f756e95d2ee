package dev.prpf.eval.ablate;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.LockFile;
import dev.prpf.base.files.ParquetShards;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.workflow.ParsedCommand;
import dev.prpf.base.workflow.Stage;
import dev.prpf.eval.ablate.PlanMaker.CostRules;
import dev.prpf.mpp.training.MppRun;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * The plan of an ablation: the commands that its tables need, in order, each once.
 *
 * @param steps models, each after the models that it needs; then runs
 * @param runs the runs that the tables need, by name
 * @param files data by which all runs are scored
 * @param given existing models by name
 * @param made folder of the ablation's own files
 */
public record AblationPlan(
        List<Step> steps,
        Map<String, Run> runs,
        Map<PaperTable, List<AblateConfig.Row>> tables,
        ScoredFiles files,
        Map<String, Path> given,
        List<Path> made) {
    /** Options that name configurations and data. */
    private static final List<String> INPUTS =
            List.of("--config", "--remote", "--teacher", "--data", "--examples", "--pool", "--scenarios");

    private static final List<String> MODEL_INPUTS = List.of("--reasoner", "--gate", "--perceiver-model");

    private static final String LOCK = "run.lock";
    /** Prefix of the names of stages that make a model. */
    static final String MODELS = "models.";

    /**
     * A stage of the ablation.
     *
     * @param name its key among the finished stages
     * @param about description in one line
     * @param commands in order
     * @param measured the directory of a run with measured costs, else null. The run has its own process. After a stop it starts again from the
     *     beginning, since contents encoded before would cost nothing
     * @param gives the model that the stage makes; null for a run
     */
    public record Step(
            String name, String about, List<ParsedCommand> commands, @Nullable Path measured, @Nullable Path gives) {
        public Stage stage() {
            return new Stage(
                    name, about, commands.stream().map(ParsedCommand::words).toList());
        }

        /** Returns whether another program trained the model. The model is registered at its path, and the stage's own training never began. */
        public boolean madeElsewhere() {
            return gives != null
                    && commands.stream().anyMatch(one -> one.name().startsWith("reasoner ") && one.has("--run-dir"))
                    && Files.exists(gives.resolve("prpf.json"))
                    && !Files.exists(gives.resolveSibling("run.json"));
        }

        /**
         * Returns the seconds of a measured run that is finished. The directory of any other is cleared, unless another process still writes it;
         * its command then fails.
         *
         * @return null for a run still to start, and for a stage without measured costs
         * @throws PrpfException 69 if the directory cannot be cleared
         */
        public @Nullable Double secondsOrCleared() {
            Path directory = measured;
            if (directory == null || !Files.isDirectory(directory)) {
                return null;
            }
            try (LockFile lock = LockFile.tryTake(directory.resolve(LOCK))) {
                JsonNode result = lock == null ? null : RunDirectory.result(directory);
                if (result != null && result.isMissingNode()) {
                    IoFailure.whileWriting(directory, () -> clear(directory));
                }
                return result == null || result.isMissingNode()
                        ? null
                        : (Double) result.path("seconds").asDouble();
            }
        }

        /** Deletes all files except the lock, which is held. */
        private static void clear(Path directory) throws IOException {
            try (Stream<Path> files = Files.list(directory)) {
                for (Path file : files.filter(one -> !one.endsWith(LOCK)).toList()) {
                    AtomicFiles.deleteTree(file);
                }
            }
        }
    }

    /**
     * A run of {@code eval run}, over its seeds.
     *
     * @param evaluations one, or one for each seed
     * @param costs whether its costs are measured
     */
    public record Run(List<Evaluation> evaluations, boolean costs) {}

    /** A set of predictions and the command that makes it. */
    public record Evaluation(Path predictions, ParsedCommand command) {
        String data() {
            return Objects.requireNonNullElse(command.value("--data"), "");
        }
    }

    /** Labelled samples, their functions and, for metrics out of distribution, the scenario catalogue. */
    public record ScoredFiles(Path gold, Path pool, @Nullable Path scenarios) {
        Stream<Path> all() {
            return scenarios == null ? Stream.of(gold, pool) : Stream.of(gold, pool, scenarios);
        }
    }

    /**
     * Plans the commands of an ablation.
     *
     * @param file the configuration's name, for messages
     * @param run the ablation's directory, {@code {run}}
     * @param configs the project's configurations, {@code {configs}}
     * @param tree of all commands, which parses those of the plan
     * @throws PrpfException 78 with every defect, one a line
     */
    public static AblationPlan of(String file, AblateConfig config, Path run, Path configs, CommandLine tree) {
        return new PlanMaker(config, run, configs, tree).plan(file);
    }

    /** Returns the missing files and folders that must exist before the first command runs. */
    public List<Path> missing() {
        return Stream.of(files.all(), given.values().stream(), read(INPUTS), read(MODEL_INPUTS))
                .flatMap(paths -> paths)
                .distinct()
                .filter(path -> !Files.exists(path) && !ParquetShards.begin(path))
                .toList();
    }

    /** Returns the inputs that decide the results in addition to the configuration: hashes of existing files and models, by name. */
    public Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("gold_sha256", AtomicFiles.sha256(files.gold));
        facts.put("pool_sha256", AtomicFiles.sha256(files.pool));
        if (files.scenarios != null) {
            facts.put("scenarios_sha256", AtomicFiles.sha256(files.scenarios));
        }
        read(INPUTS)
                .filter(path -> files.all().noneMatch(path::equals))
                .forEach(path -> facts.put(path + "_sha256", ContentHash.of(path)));
        given.forEach((name, path) -> facts.putAll(ContentHash.ofModel(MODELS + name, path)));
        read(MODEL_INPUTS)
                .filter(path -> !given.containsValue(path))
                .forEach(path -> facts.putAll(ContentHash.ofModel(path.toString(), path)));
        return facts;
    }

    /** Returns the paths that commands have with these options, except those that the ablation itself writes. */
    private Stream<Path> read(List<String> options) {
        return steps.stream()
                .flatMap(step -> step.commands().stream())
                .flatMap(command -> options.stream().flatMap(option -> command.values(option).stream()))
                .map(Path::of)
                .filter(path -> made.stream().noneMatch(path::startsWith))
                .distinct();
    }

    /**
     * Checks that every run will predict the gold file's samples.
     *
     * @throws PrpfException 65, naming both files
     */
    public void requireGold() {
        Map<String, String> sums = new LinkedHashMap<>();
        evaluations()
                .map(Evaluation::data)
                .forEach(data -> sums.computeIfAbsent(data, file -> AtomicFiles.sha256(Path.of(file))));
        evaluations().forEach(evaluation -> requireGold(evaluation, sums.get(evaluation.data())));
    }

    /**
     * Checks that a run predicted the gold file's samples.
     *
     * @param sha256 of the samples that it predicted; null if unknown
     * @throws PrpfException 65, naming both files
     */
    public void requireGold(Evaluation evaluation, @Nullable String sha256) {
        String gold = AtomicFiles.sha256(files.gold);
        if (!gold.equals(sha256)) {
            throw new InvalidDataException(evaluation.predictions() + ": is of the samples " + evaluation.data()
                    + " (SHA-256 " + sha256 + "), but scoring.gold is " + files.gold + " (SHA-256 " + gold
                    + "); the rule is that every run predicts the gold file: give it --data " + files.gold);
        }
    }

    /** Returns each set of predictions once. */
    public Stream<Evaluation> evaluations() {
        return runs.values().stream().flatMap(run -> run.evaluations().stream());
    }

    /** Returns errors in command lines, each with its stage. Without errors, returns rows of Table 10 with different batching. */
    public List<String> defects() {
        List<String> unknown = steps.stream()
                .flatMap(step -> step.commands().stream()
                        .filter(command -> command.problem() != null)
                        .map(command ->
                                step.name() + ": " + command.problem() + ", in " + Stage.typed(command.words())))
                .toList();
        List<AblateConfig.Row> rows = tables.getOrDefault(PaperTable.TABLE10, List.of());
        return unknown.isEmpty()
                ? CostRules.batchingDefects("tables." + PaperTable.TABLE10.configKey(), rows, runs)
                : unknown;
    }

    /** Returns the command lines that make each model, in order; none for existing models. */
    Map<String, List<String>> models() {
        Map<String, List<String>> commands = new LinkedHashMap<>();
        given.forEach((name, path) -> commands.put(name, List.of()));
        steps.stream()
                .map(Step::stage)
                .filter(stage -> stage.name().startsWith(MODELS))
                .forEach(stage -> commands.put(stage.name().substring(MODELS.length()), stage.typed()));
        return commands;
    }

    /** Computes the SHA-256 of files, folders and models. */
    static final class ContentHash {
        /** Files that determine a model's answers in addition to its weights. */
        private static final List<String> SETTINGS = List.of(
                "threshold.json", "prpf.json", "tokenizer.json", "chat_template.jinja", "generation_config.json");

        private ContentHash() {}

        /**
         * Returns the hashes of an existing model's weights and of the files that also determine its answers.
         *
         * @param name prefix of the keys
         * @throws PrpfException 65 or 69 for a model or a perceiver with incomplete files
         */
        static Map<String, String> ofModel(String name, Path path) {
            Map<String, String> facts = new LinkedHashMap<>();
            facts.put(name + "_sha256", weights(path));
            SETTINGS.stream()
                    .filter(file -> Files.isRegularFile(path.resolve(file)))
                    .forEach(file -> facts.put(name + "/" + file + "_sha256", AtomicFiles.sha256(path.resolve(file))));
            return facts;
        }

        private static String weights(Path path) {
            if (Files.isRegularFile(path.resolve("config.json"))) {
                return HuggingFaceDirectory.open(path).sha256();
            }
            boolean run = Files.isRegularFile(path.resolve("run.json"));
            return run && RunDirectory.description(path).command().equals("gate train")
                    ? MppRun.of(path).sha256()
                    : of(path);
        }

        /** Returns the hash of a file; for a folder, of the names and hashes of all its files. */
        static String of(Path path) {
            if (!Files.isDirectory(path)) {
                return AtomicFiles.sha256(path);
            }
            StringBuilder sums = new StringBuilder();
            IoFailure.whileReading("cannot read " + path, () -> {
                try (Stream<Path> files = Files.walk(path)) {
                    for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                        sums.append(path.relativize(file))
                                .append(' ')
                                .append(AtomicFiles.sha256(file))
                                .append('\n');
                    }
                }
                return path;
            });
            return AtomicFiles.sha256(sums.toString().getBytes(StandardCharsets.UTF_8));
        }
    }
}
