package dev.prpf.eval.quickstart;

import dev.prpf.data.command.CommonOptions;
import dev.prpf.data.command.ResultStream;
import dev.prpf.data.config.StrictYaml;
import dev.prpf.data.run.ExitCode;
import dev.prpf.data.run.PrpfException;
import dev.prpf.data.run.Resume;
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
    private CommonOptions common;

    @Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        Path configs = Path.of(System.getProperty("prpf.root", ".")).resolve("configs");
        Path file = common.config != null ? common.config : configs.resolve("quickstart.yaml");
        QuickstartConfig config = StrictYaml.read(file, QuickstartConfig.class, common.overrides);
        QuickstartFiles files = new QuickstartFiles(directory(), configs);
        List<Stage> stages = new QuickstartPlan(files, config).stages();
        if (common.dryRun) {
            stages.forEach(stage -> stage.commands().forEach(c -> ResultStream.line("./prpf " + String.join(" ", c))));
            return ExitCode.DONE.status();
        }
        run(files, config, stages);
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

    private Path directory() {
        Path directory = common.runDirectory("quickstart");
        boolean begun = Files.exists(directory.resolve(STAGES));
        if (common.resume == Resume.NEVER && begun) {
            throw PrpfException.badConfig(directory + ": holds a quickstart already (--resume=never)");
        }
        if (common.resume == Resume.REQUIRED && !begun) {
            throw PrpfException.badConfig(directory + ": holds no quickstart to resume (--resume=required)");
        }
        return directory;
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
