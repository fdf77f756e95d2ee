package dev.prpf.cli.recipe;

import dev.prpf.base.command.RunOptions;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.workflow.InThisProcess;
import dev.prpf.base.workflow.ParsedCommand;
import dev.prpf.base.workflow.Stage;
import dev.prpf.base.workflow.StageRunner;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.io.CatalogFiles;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.eval.command.CommandNeed;
import dev.prpf.eval.report.PipelineReport;
import dev.prpf.eval.report.PipelineReport.GateMetrics;
import dev.prpf.eval.score.Metrics;
import dev.prpf.mpp.tables.ThresholdReport;
import dev.prpf.mpp.training.MppRun;
import dev.prpf.mpp.training.TrainedRun;
import dev.prpf.par.cascade.CascadeFolder;
import dev.prpf.par.plan.StagePlan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Runs a recipe: its stages, then the cascade's folder with its model card and report. A stage that is done is not repeated. */
final class RecipeRunner {
    private static final List<String> REPLACED = List.of(
            "gate", "reasoner", "functions.json", "scenarios.json", "README.md", "report.html", CascadeFolder.FILE);

    private final RunOptions common;
    private final CommandSpec spec;
    private final Recipe recipe;
    private final RecipeFiles files;
    private final @Nullable RecipeData data;
    private final RecipePlan.Inputs inputs;
    private final List<Stage> stages;

    /** Reads a recipe and checks its data. */
    RecipeRunner(RunOptions common, CommandSpec spec, Path file) {
        this.common = common;
        this.spec = spec;
        recipe = Recipe.read(file, common.overrides).at(file);
        recipe.requireBase();
        Path root = common.runDirectory == null ? recipe.out(file) : common.runDirectory;
        files = RecipeFiles.of(root, recipe);
        Recipe.Synthetic synthetic = recipe.data().synthetic();
        data = synthetic == null ? RecipeData.read(recipe) : null;
        long silent = synthetic != null
                ? synthetic.train() // at most
                : Objects.requireNonNull(data).train().stream()
                        .filter(sample -> !sample.wantsIntervention())
                        .count();
        RecipeData.requireShown(recipe.gate(), silent);
        inputs = new RecipePlan.Inputs(
                recipe,
                files,
                Path.of(System.getProperty("prpf.root", ".")).resolve("configs"),
                synthetic == null ? Objects.requireNonNull(data).train().size() : synthetic.train(),
                data == null || !data.test().isEmpty(),
                synthetic == null ? Objects.requireNonNull(data).rarer() : synthetic.train() / 3, // about
                data == null ? recipe.scenarios() != null : data.statesScenarios(recipe));
        stages = RecipePlan.stages(inputs);
    }

    void run() {
        remarks().forEach(remark -> System.err.println("note: " + remark));
        requireOwnFolder(files.root());
        if (common.dryRun) {
            RunDirectory.requireOpenable(files.root(), common.resume, description());
            reportDry();
            return;
        }
        requireRoom(stageRunner());
        try (RunDirectory run = StageRunner.open(files.root(), common.resume, description())) {
            writeData();
            Result result = runStages();
            run.finish(result);
        }
    }

    private List<String> remarks() {
        List<String> remarks = new ArrayList<>(data == null ? List.of() : data.remarks());
        if (inputs.few() && !inputs.steps()) {
            remarks.add(
                    inputs.rarer() + " different training records of the rarer class (acting or silent): the gate uses"
                            + " gate-few.yaml; with at least " + RecipePlan.ENOUGH_FOR_FOLDS
                            + " records it uses gate-ensemble.yaml");
        }
        return remarks;
    }

    private void writeData() {
        if (data != null) {
            data.write(files);
        }
        if (inputs.functionScenarios()) {
            FunctionPool pool = data != null
                    ? data.pool()
                    : recipe.language().of(FunctionPoolFile.shipped(), FunctionPoolFile.shippedEnglish());
            CatalogFiles.in(files.work()).write(pool, ScenarioCatalogReader.ofFunctions(pool));
        }
    }

    /** Refuses a folder of other files: the assembly would replace them. */
    private static void requireOwnFolder(Path root) {
        if (Files.exists(root.resolve(RunDirectory.RUN))) {
            return; // StageRunner.open refuses another command's run
        }
        REPLACED.stream().map(root::resolve).filter(Files::exists).findFirst().ifPresent(file -> {
            throw new UsageException(file + ": exists, and " + root + " holds no " + RunDirectory.RUN
                    + " of a training; the cascade would replace the file; name another --run-dir");
        });
    }

    /** Creates a runner that knows the stages done so far. */
    private StageRunner stageRunner() {
        CommandLine tree = InThisProcess.of(spec).commandLine().get();
        return new StageRunner(
                files.root().resolve(StageRunner.FILE), ParsedCommand.resuming(tree, common.arguments(), files.root()));
    }

    private void requireRoom(StageRunner runner) {
        if (!recipe.isTiny()) {
            CommandLine tree = InThisProcess.of(spec).commandLine().get();
            CommandNeed.requireRoom(
                    stages, tree, sources(false), runner.seconds().keySet());
        }
    }

    private Result runStages() {
        InThisProcess commands = InThisProcess.of(spec);
        StageRunner runner = stageRunner();
        System.err.println("PRPF " + spec.name() + " in " + files.root());
        int all = stages.size() + 1;
        for (Stage stage : stages) {
            runner.run(stage, commands, stages.indexOf(stage) + 1, all);
            if (stage.name().equals("fetch") && !runner.seconds().containsKey("sft")) {
                Recipe.requireModel(files.base());
                requireRoom(runner); // the need was unknown before the download
            }
        }
        StageRunner.announce(all, all, "report: assemble the cascade, compare it with baselines");
        long start = System.nanoTime();
        CascadeFolder cascade = assemble();
        RecipeResults results = inputs.tested() ? RecipeResults.of(files, recipe) : null;
        runner.finished("report", start);
        PipelineReport pipeline =
                results == null ? null : new PipelineReport(results.systems(), results.gates(), runner.seconds());
        if (results != null && pipeline != null) {
            RecipeReport.page(files, recipe, results, pipeline).writeHtml(files.report());
        }
        new ModelCard(files, recipe, MppRun.trained(files.gate()), cascade, pipeline).write();
        Result result = new Result(
                files.root().toString(),
                runner.seconds(),
                pipeline == null ? Map.of() : pipeline.overall(),
                pipeline == null ? Map.of() : pipeline.gates(),
                pipeline == null ? null : files.report().toAbsolutePath().toString());
        common.printLines(result, () -> lines(pipeline));
        if (results != null && pipeline != null) {
            FunctionPool pool = FunctionPoolFile.read(files.catalog().functions());
            ResultNotes.print(pipeline, recipe, pool, results.test());
        }
        return result;
    }

    private CascadeFolder assemble() {
        CascadeFolder.Answering answering =
                new CascadeFolder.Answering(recipe.shortlist(), recipe.responseTokens(), true);
        return CascadeFolder.assemble(files.root(), MppRun.trained(files.gate()), files.reasoner(recipe), answering);
    }

    private RunDescription description() {
        Map<String, Object> facts = new LinkedHashMap<>();
        inputs.configs(stages).forEach((stage, file) -> facts.put(stage + "_config_sha256", AtomicFiles.sha256(file)));
        recipe.inputs().forEach((role, file) -> facts.put(role + "_sha256", AtomicFiles.sha256(file)));
        return new RunDescription(spec.name(), common.arguments(), StrictYaml.write(recipe), facts);
    }

    /** The result that {@code --dry-run --json} prints. */
    private record Plan(
            boolean dryRun, String run, Map<String, List<String>> stages, Map<String, List<CommandNeed>> needs) {}

    /**
     * Returns the training and test records.
     *
     * @param lengths whether to make a few synthetic records: their lengths give the time, not the memory
     */
    private Map<Path, StagePlan.Source> sources(boolean lengths) {
        Recipe.Synthetic synthetic = recipe.data().synthetic();
        if (synthetic == null) {
            RecipeData read = Objects.requireNonNull(data);
            return Map.of(
                    files.train(), StagePlan.Source.of(read.train().size(), read.train()),
                    files.test(), StagePlan.Source.of(read.test().size(), read.test()));
        }
        List<Sample> samples = lengths ? synthetic.examples(recipe.seed(), recipe.language()) : List.of();
        return Map.of(
                files.train(), StagePlan.Source.of(synthetic.train(), samples),
                files.test(), StagePlan.Source.of(synthetic.test(), samples));
    }

    private void reportDry() {
        Map<String, List<CommandNeed>> needs =
                CommandNeed.of(stages, InThisProcess.of(spec).commandLine().get(), sources(true));
        Map<String, List<String>> commands = Stage.typed(stages.stream());
        common.printLines(new Plan(true, files.root().toString(), commands, needs), () -> CommandNeed.lines(needs));
    }

    /**
     * The result that {@code --json} prints.
     *
     * @param report null without test records
     */
    private record Result(
            String cascade,
            Map<String, Double> seconds,
            Map<String, Metrics> results,
            Map<String, GateMetrics> gates,
            @Nullable String report) {}

    private List<String> lines(@Nullable PipelineReport pipeline) {
        List<String> lines = new ArrayList<>(List.of(""));
        if (pipeline != null) {
            lines.add(pipeline.text());
            pipeline.gates()
                    .forEach((name, gate) -> lines.add(String.format(
                            Locale.ROOT,
                            "gate %-10s recall %5.1f  specificity %5.1f",
                            name,
                            gate.recall(),
                            gate.specificity())));
            lines.addAll(List.of(
                    "", RecipeReport.caveat(recipe), "report: " + files.report().toAbsolutePath()));
        }
        lines.addAll(List.of(
                "cascade: " + files.root() + ", described in " + files.card(),
                "Next: ./prpf serve " + Stage.quoted(files.root().toString()) + "        (a page to try it)",
                "      ./prpf evaluate " + Stage.quoted(files.root().toString())
                        + (Files.exists(files.test()) ? "" : " --data FILE")));
        return lines;
    }

    /**
     * The model card of a cascade, {@code README.md}: its data with hashes, its gate, its metrics with intervals, and licences.
     *
     * @param results on the test records; null without test records
     */
    record ModelCard(
            RecipeFiles files,
            Recipe recipe,
            TrainedRun gate,
            CascadeFolder cascade,
            @Nullable PipelineReport results) {
        void write() {
            AtomicFiles.writeText(files.card(), text());
        }

        private String text() {
            CascadeFolder.Answering answering = cascade.manifest().answering();
            return "# " + files.root().toAbsolutePath().normalize().getFileName() + "\n\n"
                    + "A proactive assistant: a gate decides when help is wanted, a reasoner calls one of the functions.\n"
                    + "Made by `prpf train` " + System.getProperty("prpf.revision", "unknown") + ".\n\n"
                    + "    ./prpf serve " + files.root() + "\n    ./prpf evaluate " + files.root() + " --data FILE\n\n"
                    + "## Data\n| records | n | SHA-256 |\n|---|--:|---|\n" + data("training", files.train())
                    + (Files.exists(files.test()) ? data("test", files.test()) : "")
                    + "\nSource: " + source() + " Language: " + EnumName.of(recipe.language()) + ". Seed: "
                    + recipe.seed()
                    + ".\n\n## Models\n- Gate: " + ThresholdReport.sentence(gate.threshold()) + ".\n- Reasoner: "
                    + Objects.requireNonNullElse(
                            recipe.reasoner().base(), "random weights, a tokenizer of the records' words")
                    + "; "
                    + EnumName.of(recipe.method()) + " fine-tuning" + (recipe.grpo() ? ", then GRPO" : "") + ".\n"
                    + "- Responses: functions of at most " + answering.shortlist() + " scenarios, at most "
                    + answering.maxNewTokens() + " tokens, " + (answering.constrained() ? "" : "not ")
                    + "constrained to the grammar.\n\n## Metrics\n"
                    + (results == null ? "Not measured: no test records.\n" : results.markdown())
                    + "\n" + RecipeReport.caveat(recipe) + "\n\n## Licences\n" + licences();
        }

        private static String data(String name, Path file) {
            return "| " + name + " | " + SampleReader.readAll(file).size() + " | " + AtomicFiles.sha256(file) + " |\n";
        }

        private String source() {
            Recipe.Data data = recipe.data();
            String held = data.test() != null
                    ? ", tested on `" + data.test() + "`."
                    : Files.exists(files.test())
                            ? "; a share of " + data.testShare()
                                    + " is held out for the test; near-duplicates stay on one side."
                            : ", all of it for training.";
            return data.synthetic() != null ? "generated by `prpf data synth`." : "`" + data.train() + "`" + held;
        }

        private String licences() {
            EncoderSettings encoder = gate.encoder(files.store(), null);
            EncoderSpec text = encoder.textEncoderSpec();
            return "- Text encoder " + text.id() + ", which the program brings along: " + text.licence() + ".\n"
                    + (recipe.isTiny()
                            ? "- Gate and reasoner were trained from random weights: the data's licence applies.\n"
                            : "- The reasoner derives from " + recipe.reasoner().base()
                                    + ": its licence applies, and the data's.\n");
        }
    }
}
