package dev.prpf.cli.quickstart;

import dev.prpf.base.command.RunOptions;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.workflow.InThisProcess;
import dev.prpf.base.workflow.ParsedCommand;
import dev.prpf.base.workflow.Stage;
import dev.prpf.base.workflow.StageRunner;
import dev.prpf.eval.report.PipelineReport;
import dev.prpf.eval.report.PipelineReport.GateMetrics;
import dev.prpf.eval.score.Metrics;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Spec;

/** Implements the command {@code prpf quickstart}. */
@Command(
        name = "quickstart",
        description = "The whole pipeline, small, offline, on this machine: data, perceiver, reasoner, scores, report.",
        footer = {
            "",
            "Example:",
            "  ./prpf quickstart",
            "  ./prpf quickstart --run-dir runs/first   (after a kill the same command resumes)"
        })
public final class QuickstartCommand implements Runnable {
    @Mixin
    private RunOptions common;

    @Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public void run() {
        Path configs = Path.of(System.getProperty("prpf.root", ".")).resolve("configs");
        Path file = common.config != null ? common.config : configs.resolve("quickstart.yaml");
        QuickstartConfig config = StrictYaml.read(file, QuickstartConfig.class, common.overrides);
        QuickstartFiles files = new QuickstartFiles(common.runDirectory("quickstart"), configs);
        List<Stage> stages = QuickstartPlan.stages(files, config);
        if (common.dryRun) {
            reportDry(files, stages);
            return;
        }
        try (RunDirectory run = begin(files, config)) {
            run(files, config, stages);
            run.finish(Map.of("report", files.report().toAbsolutePath().toString()));
        }
    }

    private void run(QuickstartFiles files, QuickstartConfig config, List<Stage> stages) {
        InThisProcess commands = InThisProcess.of(spec);
        StageRunner runner = new StageRunner(
                files.root().resolve(StageRunner.FILE),
                ParsedCommand.resuming(commands.commandLine().get(), common.arguments(), files.root()));
        System.err.println("PRPF quickstart in " + files.root());
        int all = stages.size() + 1;
        for (Stage stage : stages) {
            runner.run(stage, commands, stages.indexOf(stage) + 1, all);
        }
        StageRunner.announce(all, all, "report: score the cascade and its baselines");
        long start = System.nanoTime();
        QuickstartResults results = QuickstartResults.of(files, config);
        runner.finished("report", start);
        PipelineReport pipeline = new PipelineReport(results.systems(), results.gates(), runner.seconds());
        QuickstartReport.page(files, results, pipeline).writeHtml(files.report());
        String report = files.report().toAbsolutePath().toString();
        common.printLines(
                new Result(pipeline.seconds(), pipeline.overall(), pipeline.gates(), report),
                () -> lines(pipeline, report));
    }

    private RunDirectory begin(QuickstartFiles files, QuickstartConfig config) {
        Map<String, Object> facts = new LinkedHashMap<>();
        for (String name : List.of("gate.yaml", "reasoner-init.yaml", "reasoner-sft.yaml", "reasoner-grpo.yaml")) {
            facts.put("quickstart/" + name + "_sha256", AtomicFiles.sha256(files.config(name)));
        }
        return StageRunner.open(
                files.root(),
                common.resume,
                new RunDescription("quickstart", common.arguments(), StrictYaml.write(config), facts));
    }

    /** The result that {@code --dry-run --json} prints. */
    private record Plan(boolean dryRun, String run, Map<String, List<String>> stages) {}

    private void reportDry(QuickstartFiles files, List<Stage> stages) {
        Map<String, List<String>> commands = Stage.typed(stages.stream());
        common.printLines(
                new Plan(true, files.root().toString(), commands),
                () -> commands.values().stream().flatMap(List::stream).toList());
    }

    /** The result that {@code --json} prints. */
    private record Result(
            Map<String, Double> seconds, Map<String, Metrics> results, Map<String, GateMetrics> gates, String report) {}

    private static List<String> lines(PipelineReport pipeline, String report) {
        List<String> lines = new ArrayList<>(List.of("", pipeline.text()));
        pipeline.gates()
                .forEach((name, gate) -> lines.add(String.format(
                        Locale.ROOT,
                        "gate %-10s recall %5.1f  specificity %5.1f",
                        name,
                        gate.recall(),
                        gate.specificity())));
        lines.addAll(List.of("", QuickstartReport.CAVEAT, "report: " + report));
        return lines;
    }
}
