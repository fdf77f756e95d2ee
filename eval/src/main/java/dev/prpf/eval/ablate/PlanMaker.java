package dev.prpf.eval.ablate;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.stage.Stage;
import dev.prpf.eval.ablate.AblateConfig.Row;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes an {@link AblationPlan} of a configuration, noting all that is wrong with it. */
final class PlanMaker {
    /** What every run is given by the plan. */
    private static final List<String> OURS = List.of("--out", "--store", "--shard", "--dry-run", "--resume");

    private final AblateConfig config;
    private final Path run;
    private final Placeholders placeholders;
    private final List<String> defects = new ArrayList<>();
    private final Map<String, ModelPlan> models = new LinkedHashMap<>();
    private final Map<String, RunPlan> runs = new LinkedHashMap<>();

    /** A model's commands, the models that they name and the path that it gives. */
    private record ModelPlan(List<List<String>> commands, Set<String> needs, Path gives) {}

    /** A run and the models that it names. */
    private record RunPlan(AblationPlan.Run run, Set<String> needs) {}

    PlanMaker(AblateConfig config, Path run, Path configs) {
        this.config = config;
        this.run = run;
        this.placeholders = new Placeholders(config, run, configs, defects);
    }

    AblationPlan plan(String file) {
        AblateConfig.Scoring scoring = config.scoring();
        AblationPlan.ScoredFiles files = new AblationPlan.ScoredFiles(
                path("scoring.gold", scoring.gold()),
                path("scoring.pool", scoring.pool()),
                scoring.scenarios() == null ? null : path("scoring.scenarios", scoring.scenarios()));
        config.models().forEach((name, model) -> models.put(name, model(name, model)));
        config.runs().forEach((name, one) -> runs.put(name, run(name, one)));
        Map<PaperTable, List<Row>> tables = new LinkedHashMap<>();
        config.tables().forEach((key, rows) -> tables.put(table(key, rows), rows));
        Set<String> ordered = new LinkedHashSet<>();
        models.keySet().forEach(model -> order(model, new ArrayDeque<>(), ordered));
        if (!defects.isEmpty()) {
            throw new InvalidConfigurationException(defects.stream()
                    .distinct()
                    .map(defect -> file + ": " + defect)
                    .collect(Collectors.joining("\n       ")));
        }
        return needed(tables, ordered, files);
    }

    private Path path(String place, String text) {
        return Path.of(placeholders.word(place, text, Map.of()).words().get(0));
    }

    private ModelPlan model(String name, AblateConfig.Model model) {
        String place = "models." + name;
        Map<String, String> own =
                Map.of("self", placeholders.modelDirectory(name).toString());
        Placeholders.Filled gives = placeholders.word(place + ".gives", model.gives(), own);
        Set<String> needs = new LinkedHashSet<>(gives.models());
        List<List<String>> commands = new ArrayList<>();
        for (String text : model.commands()) {
            String at = place + ".commands[" + commands.size() + "]";
            Placeholders.Filled command = placeholders.words(at, text, own);
            if (command.words().isEmpty()) {
                defects.add(at + ": is empty, must be a prpf command line without ./prpf");
            }
            needs.addAll(command.models());
            commands.add(command.words());
        }
        return new ModelPlan(commands, needs, Path.of(gives.words().get(0)));
    }

    private RunPlan run(String name, AblateConfig.Run one) {
        Path directory = run.resolve("runs").resolve(name);
        List<AblationPlan.Evaluation> evaluations = new ArrayList<>();
        Set<String> needs = new LinkedHashSet<>();
        if (one.seeds().isEmpty()) {
            evaluations.add(evaluation(name, one, directory, null, needs));
        }
        for (Long seed : one.seeds()) {
            evaluations.add(evaluation(name, one, directory.resolve("seed-" + seed), seed, needs));
        }
        return new RunPlan(new AblationPlan.Run(evaluations, one.costs()), needs);
    }

    private AblationPlan.Evaluation evaluation(
            String name, AblateConfig.Run one, Path self, @Nullable Long seed, Set<String> needs) {
        Map<String, String> own = seed == null
                ? Map.of("self", self.toString())
                : Map.of("self", self.toString(), "seed", Long.toString(seed));
        List<String> words = new ArrayList<>(List.of("eval", "run"));
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("every-run", config.everyRun());
        texts.put("runs." + name + ".arguments", one.arguments());
        texts.forEach((place, text) -> {
            Placeholders.Filled filled = placeholders.words(place, text, own);
            needs.addAll(filled.models());
            words.addAll(filled.words());
            OURS.stream()
                    .filter(option -> CommandWords.has(filled.words(), option))
                    .forEach(option -> defects.add(place + ": " + option + " is decided by the ablation; remove it"));
        });
        if (one.costs() && CommandWords.has(words, "--remote")) {
            defects.add("runs." + name + ": costs: true with --remote, must be false: what a server computes is not"
                    + " known here, and a run that begins anew would ask it again");
        }
        Path predictions = self.resolve("predictions.jsonl");
        String store = one.costs()
                ? self.resolve("store").toString()
                : placeholders.word("store", config.store(), Map.of()).words().get(0);
        words.addAll(List.of("--store", store, "--out", predictions.toString()));
        return new AblationPlan.Evaluation(predictions, words);
    }

    private PaperTable table(String key, List<Row> rows) {
        PaperTable table = Objects.requireNonNull(PaperTable.ofConfigKey(key), key);
        Set<String> names = new LinkedHashSet<>();
        for (Row row : rows) {
            String place = "tables." + key + ", row \"" + row.name() + "\"";
            if (!names.add(row.name())) {
                defects.add(place + ": stands twice");
            }
            row.runs().stream()
                    .filter(name -> !runs.containsKey(name))
                    .forEach(name -> defects.add(
                            place + ": no run is called \"" + name + "\"" + StrictYaml.hint(name, runs.keySet())));
        }
        for (Row row : rows) {
            if (row.against() != null
                    && (!names.contains(row.against()) || row.against().equals(row.name()))) {
                defects.add("tables." + key + ", row \"" + row.name() + "\": against \"" + row.against()
                        + "\", must be another row of the table" + StrictYaml.hint(row.against(), names));
            }
        }
        if (table == PaperTable.TABLE10) {
            Map<String, AblationPlan.Run> known = new LinkedHashMap<>();
            runs.forEach((name, one) -> known.put(name, one.run()));
            defects.addAll(CostRules.defects("tables." + key, rows, known));
        }
        return table;
    }

    /** Puts a model behind those that it is made of. */
    private void order(String model, Deque<String> path, Set<String> ordered) {
        if (path.contains(model)) {
            defects.add("models." + model + ": is made of itself: "
                    + Stream.concat(path.stream().dropWhile(name -> !name.equals(model)), Stream.of(model))
                            .collect(Collectors.joining(" -> ")));
            return;
        }
        path.addLast(model);
        for (String need : Objects.requireNonNull(models.get(model)).needs()) {
            if (!ordered.contains(need)) {
                order(need, path, ordered);
            }
        }
        path.removeLast();
        ordered.add(model);
    }

    private AblationPlan needed(
            Map<PaperTable, List<Row>> tables, Set<String> ordered, AblationPlan.ScoredFiles files) {
        Map<String, List<String>> rowsOf = new LinkedHashMap<>();
        tables.forEach((table, rows) ->
                rows.forEach(row -> row.runs().forEach(name -> rowsOf.computeIfAbsent(name, first -> new ArrayList<>())
                        .add(table.label() + " \"" + row.name() + "\""))));
        Set<String> wanted = wanted(rowsOf.keySet());
        List<AblationPlan.Step> steps = new ArrayList<>();
        List<Path> made = new ArrayList<>(List.of(run.resolve("models"), run.resolve("runs")));
        Map<String, Path> given = new LinkedHashMap<>();
        for (String name : ordered) {
            ModelPlan model = Objects.requireNonNull(models.get(name));
            if (wanted.contains(name) && model.commands().isEmpty()) {
                given.put(name, model.gives());
            } else if (wanted.contains(name)) {
                made.add(model.gives());
                Stage stage = new Stage(AblationPlan.MODELS + name, "make this model", model.commands());
                steps.add(new AblationPlan.Step(stage, null, model.gives()));
            }
        }
        Map<String, AblationPlan.Run> used = new LinkedHashMap<>();
        rowsOf.forEach((name, rows) -> {
            AblationPlan.Run one = Objects.requireNonNull(runs.get(name)).run();
            used.put(name, one);
            String about = "predict, for " + String.join(", ", rows);
            for (AblationPlan.Evaluation evaluation : one.evaluations()) {
                Path directory = Objects.requireNonNull(evaluation.predictions().getParent());
                String stage = run.relativize(directory).toString().replace('/', '.');
                steps.add(new AblationPlan.Step(
                        new Stage(stage, about, List.of(evaluation.command())), one.costs() ? directory : null, null));
            }
        });
        return new AblationPlan(steps, used, tables, files, given, made);
    }

    /** The models that runs need, those that these are made of among them. */
    private Set<String> wanted(Collection<String> names) {
        Set<String> wanted = new LinkedHashSet<>();
        Deque<String> left = new ArrayDeque<>();
        names.forEach(name -> left.addAll(Objects.requireNonNull(runs.get(name)).needs()));
        while (!left.isEmpty()) {
            String model = left.pop();
            if (wanted.add(model)) {
                left.addAll(Objects.requireNonNull(models.get(model)).needs());
            }
        }
        return wanted;
    }
}
