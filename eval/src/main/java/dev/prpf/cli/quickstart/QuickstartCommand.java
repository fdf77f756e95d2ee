package dev.prpf.cli.quickstart;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.command.RunOptions;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.eval.report.PipelineReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Spec;

/** {@code prpf quickstart}. */
@Command(
        name = "quickstart",
        description = "The whole pipeline, small, offline, on this machine: data, perceiver, reasoner, scores, report.",
        footer = {
            "",
            "Example:",
            "  ./prpf quickstart",
            "  ./prpf quickstart --run-dir runs/first   (after a kill the same command goes on where it stopped)"
        })
public final class QuickstartCommand implements Callable<Integer> {
    private static final String STAGES = "stages.json";

    @Mixin
    private RunOptions common;

    @Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        Path configs = Path.of(System.getProperty("prpf.root", ".")).resolve("configs");
        Path file = common.config != null ? common.config : configs.resolve("quickstart.yaml");
        QuickstartConfig config = StrictYaml.read(file, QuickstartConfig.class, common.overrides);
        QuickstartFiles files = new QuickstartFiles(common.runDirectory("quickstart"), configs);
        List<Stage> stages = new QuickstartPlan(files, config).stages();
        if (common.dryRun) {
            reportDry(files, stages);
            return ExitCode.DONE.status();
        }
        try (RunDirectory run = begin(files, config)) {
            run(files, config, stages);
            run.finish(Map.of("report", files.report().toAbsolutePath().toString()));
        }
        return ExitCode.DONE.status();
    }

    private void run(QuickstartFiles files, QuickstartConfig config, List<Stage> stages) {
        StageRunner runner =
                new StageRunner(this::freshCommandLine, files.root().resolve(STAGES));
        System.err.println("PRPF quickstart in " + files.root());
        for (int i = 0; i < stages.size(); i++) {
            runner.run(stages.get(i), i + 1, stages.size() + 1);
        }
        System.err.printf(
                Locale.ROOT,
                "[%d/%d] report: score the cascade beside its baselines%n",
                stages.size() + 1,
                stages.size() + 1);
        long start = System.nanoTime();
        QuickstartResults results = QuickstartResults.of(files, config);
        runner.finished("report", (System.nanoTime() - start) / 1e9);
        QuickstartReport report = new QuickstartReport(files, results, runner.seconds());
        PipelineReport page = report.report();
        page.page().writeHtml(files.report());
        if (common.json) {
            ResultStream.json(json(files, results, runner.seconds()));
        } else {
            print(files, results, page);
        }
    }

    private CommandLine freshCommandLine() {
        CommandLine fresh = new CommandLine(spec.root().userObject().getClass());
        fresh.setCaseInsensitiveEnumValuesAllowed(true);
        return fresh;
    }

    /** Stages that were done under other settings are never mixed with this run's. */
    private RunDirectory begin(QuickstartFiles files, QuickstartConfig config) {
        Path stages = files.root().resolve(STAGES);
        if (Files.exists(stages) && !Files.exists(files.root().resolve("run.json"))) {
            throw new InvalidConfigurationException(
                    stages + ": no run.json beside it says with which settings they were done; name another --run-dir");
        }
        Map<String, Object> facts = new LinkedHashMap<>();
        for (String name : List.of("mpp.yaml", "par-init.yaml", "par-sft.yaml", "par-grpo.yaml")) {
            facts.put("quickstart/" + name + "_sha256", AtomicFiles.sha256(files.config(name)));
        }
        List<String> arguments = spec.commandLine().getParseResult().originalArgs();
        return RunDirectory.open(
                files.root(),
                common.resume,
                new RunDescription("quickstart", arguments, StrictYaml.write(config), facts));
    }

    private void reportDry(QuickstartFiles files, List<Stage> stages) {
        if (!common.json) {
            stages.forEach(stage -> stage.commands().forEach(command -> ResultStream.line(typed(command))));
            return;
        }
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("dry_run", true);
        result.put("run", files.root().toString());
        Map<String, List<String>> commands = new LinkedHashMap<>();
        stages.forEach(stage -> commands.put(
                stage.name(),
                stage.commands().stream().map(QuickstartCommand::typed).toList()));
        result.put("stages", commands);
        ResultStream.json(result);
    }

    private static String typed(List<String> command) {
        return "./prpf " + String.join(" ", command);
    }

    private static Map<String, Object> json(
            QuickstartFiles files, QuickstartResults results, Map<String, Double> seconds) {
        Map<String, Object> scores = new LinkedHashMap<>();
        results.systems()
                .forEach((name, value) ->
                        scores.put(name, value.overall().metrics().toJson()));
        Map<String, Object> gates = new LinkedHashMap<>();
        results.gates().forEach((name, value) -> gates.put(name, value));
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("seconds", seconds);
        json.put("results", scores);
        json.put("gates", gates);
        json.put("report", files.report().toAbsolutePath().toString());
        return json;
    }

    private static void print(QuickstartFiles files, QuickstartResults results, PipelineReport page) {
        ResultStream.line("");
        ResultStream.line(page.text());
        results.gates()
                .forEach((name, figures) -> ResultStream.line(String.format(
                        Locale.ROOT,
                        "gate %-10s recall %5.1f  specificity %5.1f",
                        name,
                        figures.recall(),
                        figures.specificity())));
        ResultStream.line("");
        ResultStream.line(QuickstartReport.CAVEAT);
        ResultStream.line("report: " + files.report().toAbsolutePath());
    }
}
