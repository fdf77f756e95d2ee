package dev.prpf.eval.ablate;

import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.Suggestion;
import dev.prpf.base.workflow.ParsedCommand;
import dev.prpf.base.workflow.Placeholders;
import dev.prpf.eval.ablate.AblateConfig.Row;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Makes an {@link AblationPlan} of a configuration and collects its defects. */
final class PlanMaker {
    private static final List<String> RUN = List.of("eval", "run");

    /** Options that the plan adds to every run. */
    private static final List<String> OURS = List.of("--out", "--store", "--shard", "--dry-run", "--resume");

    private final AblateConfig config;
    private final Path run;
    private final CommandLine tree;
    private final Placeholders placeholders;
    private final List<String> defects = new ArrayList<>();
    private final Map<String, ModelPlan> models = new LinkedHashMap<>();
    private final Map<String, RunPlan> runs = new LinkedHashMap<>();

    private record ModelPlan(List<ParsedCommand> commands, Set<String> needs, Path gives) {}

    private record RunPlan(AblationPlan.Run run, Set<String> needs) {}

    PlanMaker(AblateConfig config, Path run, Path configs, CommandLine tree) {
        this.config = config;
        this.run = run;
        this.tree = tree;
        this.placeholders = new Placeholders(texts(configs), defects::add);
    }

    private Map<String, String> texts(Path configs) {
        Map<String, String> texts = new LinkedHashMap<>(config.places());
        Stream.of("run", "configs", "store", "self", "seed")
                .filter(texts::containsKey)
                .forEach(name -> defects.add("places." + name + ": is a built-in name; choose another"));
        texts.putAll(Map.of("run", run.toString(), "configs", configs.toString(), "store", config.store()));
        config.options().forEach((name, text) -> texts.put(Placeholders.OPTIONS + name, text));
        Map<String, String> own = new HashMap<>(); // {models.*} stays, and is filled where the path is used
        config.models()
                .keySet()
                .forEach(name -> own.put(AblationPlan.MODELS + name, "{" + AblationPlan.MODELS + name + "}"));
        Placeholders places = new Placeholders(Map.copyOf(texts), defect -> {}); // model() reports defects
        config.models().forEach((name, model) -> {
            own.put("self", directory(name).toString());
            texts.put(AblationPlan.MODELS + name, places.word("", model.gives(), own));
        });
        return texts;
    }

    private Path directory(String model) {
        return run.resolve("models").resolve(model);
    }

    private Set<String> needs(Stream<String> texts) {
        return texts.flatMap(text -> placeholders.names(text).stream())
                .filter(name -> name.startsWith(AblationPlan.MODELS))
                .map(name -> name.substring(AblationPlan.MODELS.length()))
                .filter(config.models()::containsKey)
                .collect(Collectors.toCollection(LinkedHashSet::new));
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
        return Path.of(placeholders.word(place, text, Map.of()));
    }

    private ModelPlan model(String name, AblateConfig.Model model) {
        String place = "models." + name;
        Map<String, String> own = Map.of("self", directory(name).toString());
        Path gives = Path.of(placeholders.word(place + ".gives", model.gives(), own));
        List<ParsedCommand> commands = new ArrayList<>();
        for (String text : model.commands()) {
            String at = place + ".commands[" + commands.size() + "]";
            List<String> words = placeholders.words(at, text, own);
            if (words.isEmpty()) {
                defects.add(at + ": is empty, must be a prpf command line without ./prpf");
            }
            commands.add(ParsedCommand.of(tree, words));
        }
        return new ModelPlan(
                commands, needs(Stream.concat(Stream.of(model.gives()), model.commands().stream())), gives);
    }

    private RunPlan run(String name, AblateConfig.Run one) {
        Path directory = run.resolve("runs").resolve(name);
        List<AblationPlan.Evaluation> evaluations = new ArrayList<>();
        if (one.seeds().isEmpty()) {
            evaluations.add(evaluation(name, one, directory, Map.of()));
        }
        for (Long seed : one.seeds()) {
            evaluations.add(evaluation(name, one, directory.resolve("seed-" + seed), Map.of("seed", seed.toString())));
        }
        return new RunPlan(
                new AblationPlan.Run(evaluations, one.costs()), needs(Stream.of(config.everyRun(), one.arguments())));
    }

    private AblationPlan.Evaluation evaluation(String name, AblateConfig.Run one, Path self, Map<String, String> seed) {
        Map<String, String> own = new HashMap<>(seed);
        own.put("self", self.toString());
        List<String> words = new ArrayList<>(RUN);
        for (String place : List.of("every-run", "runs." + name + ".arguments")) {
            String text = place.equals("every-run") ? config.everyRun() : one.arguments();
            List<String> given = placeholders.words(place, text, own);
            ParsedCommand parsed = ParsedCommand.of(
                    tree, Stream.of(RUN, given).flatMap(List::stream).toList());
            words.addAll(given);
            OURS.stream()
                    .filter(parsed::has)
                    .forEach(option -> defects.add(place + ": " + option + " is decided by the ablation; remove it"));
        }
        Path predictions = self.resolve("predictions.jsonl");
        String store =
                one.costs() ? self.resolve("store").toString() : placeholders.word("store", config.store(), Map.of());
        words.addAll(List.of("--store", store, "--out", predictions.toString()));
        ParsedCommand command = ParsedCommand.of(tree, words);
        if (one.costs() && command.has("--remote")) {
            defects.add("runs." + name + ": costs: true with --remote, must be false: a server's computation is"
                    + " unknown, and a run that starts again would repeat all requests");
        }
        return new AblationPlan.Evaluation(predictions, command);
    }

    private PaperTable table(String key, List<Row> rows) {
        PaperTable table = Objects.requireNonNull(PaperTable.ofConfigKey(key), key);
        Set<String> names = new LinkedHashSet<>();
        for (Row row : rows) {
            String place = "tables." + key + ", row \"" + row.name() + "\"";
            if (!names.add(row.name())) {
                defects.add(place + ": is a duplicate");
            }
            row.runs().stream()
                    .filter(name -> !runs.containsKey(name))
                    .forEach(name -> defects.add(
                            place + ": no run is called \"" + name + "\"" + Suggestion.hint(name, runs.keySet())));
        }
        for (Row row : rows) {
            if (row.against() != null
                    && (!names.contains(row.against()) || row.against().equals(row.name()))) {
                defects.add("tables." + key + ", row \"" + row.name() + "\": against \"" + row.against()
                        + "\", must be another row of the table" + Suggestion.hint(row.against(), names));
            }
        }
        if (table == PaperTable.TABLE10) {
            Map<String, AblationPlan.Run> known = new LinkedHashMap<>();
            runs.forEach((name, one) -> known.put(name, one.run()));
            defects.addAll(CostRules.defects("tables." + key, rows, known));
        }
        return table;
    }

    /** Adds a model after the models that it is made of. */
    private void order(String model, Deque<String> path, Set<String> ordered) {
        if (path.contains(model)) {
            defects.add("models." + model + ": needs itself: "
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
                steps.add(new AblationPlan.Step(
                        AblationPlan.MODELS + name, "make this model", model.commands(), null, model.gives()));
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
                        stage, about, List.of(evaluation.command()), one.costs() ? directory : null, null));
            }
        });
        return new AblationPlan(steps, used, tables, files, given, made);
    }

    /** Returns the models that runs need, directly or through other models. */
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

    /** Conditions under which the costs of a table's rows are comparable. */
    static final class CostRules {
        /** Options that determine how many samples share a pass, and its cost. */
        private static final List<String> BATCHING = List.of("--batch-size", "--dtype");

        private CostRules() {}

        /** Returns the defects of rows that are not exactly one measured run. */
        static List<String> defects(String place, List<Row> rows, Map<String, AblationPlan.Run> runs) {
            List<String> defects = new ArrayList<>();
            for (Row row : rows) {
                List<AblationPlan.Run> known = row.runs().stream()
                        .map(runs::get)
                        .filter(Objects::nonNull)
                        .toList();
                if (row.runs().size() > 1
                        || known.stream()
                                .anyMatch(
                                        run -> !run.costs() || run.evaluations().size() > 1)) {
                    defects.add(place + ", row \"" + row.name()
                            + "\": must be one run without seeds, with costs: true, for costs are compared");
                }
            }
            return defects;
        }

        /** Returns the defects of rows with different batching. */
        static List<String> batchingDefects(String place, List<Row> rows, Map<String, AblationPlan.Run> runs) {
            Map<String, String> batching = new LinkedHashMap<>();
            for (Row row : rows) {
                AblationPlan.Run run =
                        Objects.requireNonNull(runs.get(row.runs().get(0)));
                ParsedCommand command = run.evaluations().get(0).command();
                batching.put(
                        row.name(),
                        BATCHING.stream()
                                .map(option -> option + " "
                                        + String.valueOf(command.effective(option))
                                                .toLowerCase(Locale.ROOT))
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
}
