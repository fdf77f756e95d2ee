package dev.prpf.eval.command;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.command.RunOptions;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.workflow.InOwnProcess;
import dev.prpf.base.workflow.InThisProcess;
import dev.prpf.base.workflow.ParsedCommand;
import dev.prpf.base.workflow.Stage;
import dev.prpf.base.workflow.StageRunner;
import dev.prpf.base.workflow.StageRunner.CommandRunner;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.eval.ablate.AblateConfig;
import dev.prpf.eval.ablate.AblationPage;
import dev.prpf.eval.ablate.AblationPlan;
import dev.prpf.eval.ablate.AblationReport;
import dev.prpf.eval.judge.Judge;
import dev.prpf.eval.score.Provenance;
import dev.prpf.eval.score.RunFiles;
import dev.prpf.eval.score.ScenarioAnalysis.ScenarioGroups;
import dev.prpf.eval.score.Scorer;
import dev.prpf.eval.score.SystemScores.ScoredRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Implements the command {@code prpf eval ablate}. */
@Command(
        name = "ablate",
        description = {
            "Make the ablations of both papers from one file: train missing models, predict, score, and compare "
                    + "every row with the published one.",
            "Started again after a kill, it resumes."
        },
        footer = {
            "  ./prpf eval ablate --config configs/quickstart/ablate.yaml --set places.quickstart=runs/quickstart \\",
            "      --run-dir runs/ablations",
            "  ./prpf eval ablate --config configs/ablate.yaml --run-dir runs/ablations --dry-run   (the commands, in order)"
        })
final class AblateCommand implements Runnable {
    @Mixin
    private RunOptions common;

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        AblateConfig config = StrictYaml.read(file(), AblateConfig.class, common.overrides);
        Path directory = common.runDirectory("eval-ablate");
        Path configs = Path.of(System.getProperty("prpf.root", ".")).resolve("configs");
        InThisProcess here = InThisProcess.of(spec);
        CommandLine tree = here.commandLine().get();
        AblationPlan plan = AblationPlan.of(file().toString(), config, directory, configs, tree);
        requireKnownCommands(plan);
        if (common.dryRun) {
            reportDry(plan, directory, tree);
            return;
        }
        requireAllThere(plan);
        plan.requireGold();
        Map<String, Object> facts = plan.facts();
        try (RunDirectory run = begin(facts, config, directory)) {
            runStages(plan, here, directory);
            report(plan, config, directory, provenance(plan, facts));
            run.finish(Map.of("report", reportFile(directory).toString()));
        }
    }

    private Path file() {
        if (common.config == null) {
            throw new UsageException("eval ablate needs --config; configs/ablate.yaml is an example");
        }
        return common.config;
    }

    /** Refuses words that their command does not know, before the first one runs. */
    private void requireKnownCommands(AblationPlan plan) {
        List<String> refused = plan.defects();
        if (!refused.isEmpty()) {
            throw new InvalidConfigurationException(
                    refused.stream().map(defect -> file() + ": " + defect).collect(Collectors.joining("\n       ")));
        }
    }

    private void requireAllThere(AblationPlan plan) {
        List<Path> missing = plan.missing();
        if (!missing.isEmpty()) {
            throw new UnavailableException(file() + " names missing paths: "
                    + missing.stream().map(Path::toString).collect(Collectors.joining(", "))
                    + "; create them, or name other paths (--set places.NAME=DIR)");
        }
    }

    private RunDirectory begin(Map<String, Object> facts, AblateConfig config, Path directory) {
        return StageRunner.open(
                directory,
                common.resume,
                new RunDescription("eval ablate", common.arguments(), StrictYaml.write(config), facts));
    }

    private void runStages(AblationPlan plan, InThisProcess here, Path directory) {
        CommandRunner apart =
                new InOwnProcess(spec.root().userObject().getClass().getName());
        StageRunner runner = new StageRunner(
                directory.resolve(StageRunner.FILE),
                ParsedCommand.resuming(here.commandLine().get(), common.arguments(), directory));
        int all = plan.steps().size();
        for (int i = 0; i < all; i++) {
            AblationPlan.Step step = plan.steps().get(i);
            String stage = step.name();
            if (!runner.seconds().containsKey(stage)) {
                Double seconds = step.madeElsewhere() ? (Double) 0.0 : step.secondsOrCleared();
                if (seconds != null) {
                    runner.took(stage, seconds);
                }
            }
            runner.run(step.stage(), step.measured() == null ? here : apart, i + 1, all);
        }
    }

    private record Result(String report, @JsonUnwrapped AblationReport ablation) {}

    private void report(AblationPlan plan, AblateConfig config, Path directory, Map<String, String> provenance) {
        AblationReport report = AblationReport.of(plan, scored(plan, config.scoring()));
        AblationPage page = new AblationPage(report, provenance);
        page.write(directory);
        String file = reportFile(directory).toString();
        common.printLines(new Result(file, report), () -> {
            List<String> lines = new ArrayList<>(List.of(page.text().stripTrailing()));
            report.notes().forEach(note -> lines.add("Note: " + note));
            lines.add("report: " + file);
            return lines;
        });
    }

    private static Map<Path, ScoredRun> scored(AblationPlan plan, AblateConfig.Scoring scoring) {
        AblationPlan.ScoredFiles files = plan.files();
        Scorer scorer = new Scorer(
                files.scenarios() == null ? null : ScenarioCatalogReader.read(files.scenarios()),
                Judge.standard(),
                new Bootstrap(scoring.resamples(), scoring.seed(), Bootstrap.DEFAULT.level()),
                scoring.clusterBy(),
                ScenarioGroups.PAPERS);
        FunctionPool pool = FunctionPoolFile.read(files.pool());
        Map<Path, ScoredRun> scored = new LinkedHashMap<>();
        plan.evaluations().forEach(evaluation -> {
            RunFiles run = RunFiles.of(evaluation.predictions());
            plan.requireGold(evaluation, run.fact("data_sha256"));
            scored.put(evaluation.predictions(), ScoringFiles.scored(scorer, files.gold(), pool, run));
        });
        return scored;
    }

    private Map<String, String> provenance(AblationPlan plan, Map<String, Object> decisive) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("command", Stage.typed(common.arguments()));
        facts.put("configuration", Provenance.describe(file()));
        decisive.forEach((name, value) -> facts.put(name, value.toString()));
        plan.given().forEach((name, path) -> facts.put("model " + name, path.toString()));
        facts.put("revision", System.getProperty("prpf.revision", "unknown"));
        facts.put("java", System.getProperty("java.version"));
        facts.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        return facts;
    }

    private static Path reportFile(Path directory) {
        return directory.resolve("report.html").toAbsolutePath();
    }

    /** The result that {@code --dry-run --json} prints. */
    private record Plan(
            boolean dryRun,
            String run,
            Map<String, List<String>> stages,
            Map<String, List<CommandNeed>> needs,
            List<String> missing) {}

    private void reportDry(AblationPlan plan, Path directory, CommandLine tree) {
        List<Stage> stages = plan.steps().stream().map(AblationPlan.Step::stage).toList();
        Map<String, List<String>> commands = Stage.typed(stages.stream());
        Map<String, List<CommandNeed>> needs = CommandNeed.of(stages, tree, Map.of());
        List<String> missing = plan.missing().stream().map(Path::toString).toList();
        common.printLines(new Plan(true, directory.toString(), commands, needs, missing), () -> {
            List<String> lines = CommandNeed.lines(needs);
            missing.forEach(path -> lines.add("# does not exist yet: " + path));
            return lines;
        });
    }
}
