package dev.prpf.eval.command;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.io.CatalogFiles;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.eval.command.BootstrapOptions.ClusterOptions;
import dev.prpf.eval.judge.Judge;
import dev.prpf.eval.judge.JudgeOptions;
import dev.prpf.eval.report.HarnessFiles;
import dev.prpf.eval.report.RunReportPage;
import dev.prpf.eval.score.Provenance;
import dev.prpf.eval.score.RunFiles;
import dev.prpf.eval.score.RunReport;
import dev.prpf.eval.score.ScenarioAnalysis.ScenarioGroups;
import dev.prpf.eval.score.Scorer;
import dev.prpf.eval.score.SystemScores;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements the command {@code prpf eval report}. */
@Command(
        name = "report",
        description =
                "Compare any number of runs: metrics, paired intervals, McNemar's test with Holm's correction, and "
                        + "differences in their data, prompts, weights and settings.",
        footer = {
            "  ./prpf eval report sft=runs/sft grpo=runs/grpo-1,runs/grpo-2,runs/grpo-3 --out runs/report",
            "  ./prpf eval report a=a.jsonl b=b.jsonl --gold benchmark_zh.json --pool function_pool.json"
        })
final class ReportCommand implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(ReportCommand.class);

    @Mixin
    private ClusterOptions options = new ClusterOptions();

    @Parameters(
            arity = "1..*",
            paramLabel = "[NAME=]RUN[,RUN…]",
            description =
                    "A run directory of eval run, or a file of predictions; several after one name are one system over several"
                            + " seeds.")
    private List<String> arguments;

    @Option(names = "--gold", paramLabel = "FILE", description = "Labelled samples (default: the runs' --data).")
    private @Nullable Path gold;

    @Option(names = "--pool", paramLabel = "FILE", description = "Their function pool (default: the runs' --pool).")
    private @Nullable Path pool;

    @Option(
            names = "--scenarios",
            paramLabel = "FILE",
            description = "Scenarios and the map function -> scenario, for the metrics out of distribution.")
    private @Nullable Path scenarios;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description =
                    "Write report.html, report.md and report.json there, and each run's results_*.json and samples_*.jsonl in a"
                            + " folder of its name.")
    private @Nullable Path out;

    @Mixin
    private JudgeOptions judge = new JudgeOptions();

    @Override
    public void run() {
        judge.requireKnown(); // fails before any file is read
        Map<String, List<RunFiles>> systems = systems();
        List<RunFiles> runs = systems.values().stream().flatMap(List::stream).toList();
        RunFiles.requireSameData(runs);
        Path samples = gold == null ? ofTheRuns(runs, "--data", "data_sha256", "--gold") : gold;
        Path functions =
                pool == null && !shippedPool(runs) ? functions(runs) : pool; // null: the pool that the program ships
        RunReportPage page;
        try (StopSignal stop = judge.stopSignal();
                Judge judging = judge.open(out, stop)) {
            Scorer scorer = new Scorer(
                    scenarios == null ? null : ScenarioCatalogReader.read(scenarios),
                    judging,
                    options.bootstrap(),
                    options.clusterBy,
                    ScenarioGroups.PAPERS);
            List<SystemScores> scored = scored(systems, scorer, samples, FunctionPoolFile.read(functions));
            page = new RunReportPage(
                    RunReport.of(scored, notes(runs, samples)), provenance(samples, functions, scorer));
            if (out != null) {
                page.write(out);
                writeHarness(scored, samples, page.provenance(), out);
                LOG.info("wrote report.html, report.md, report.json and a folder of each run to {}", out);
            }
        }
        options.print(page.report(), () -> page.text().stripTrailing());
    }

    private Map<String, List<RunFiles>> systems() {
        Map<String, List<RunFiles>> systems = new LinkedHashMap<>();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            boolean named = equals > 0 && !argument.substring(0, equals).contains("/");
            String name = named ? argument.substring(0, equals) : argument;
            List<RunFiles> runs = Stream.of(
                            argument.substring(named ? equals + 1 : 0).split(",", -1))
                    .map(path -> RunFiles.of(Path.of(path)))
                    .toList();
            if (systems.putIfAbsent(name, runs) != null) {
                throw new UsageException("\"" + name + "\" names two systems; give each another name, NAME=RUN");
            }
        }
        return systems;
    }

    private static boolean shippedPool(List<RunFiles> runs) {
        return runs.stream().noneMatch(run -> run.argument("--pool") != null)
                && runs.stream().anyMatch(run -> "shipped".equals(run.fact("pool_sha256")));
    }

    /** Returns the runs' functions: those of {@code --pool}, or those that the gate of a run was trained with. */
    private static Path functions(List<RunFiles> runs) {
        for (RunFiles run : runs) {
            Path gate = run.argument("--gate");
            CatalogFiles files = gate == null || run.argument("--pool") != null ? null : CatalogFiles.find(gate);
            if (files != null && AtomicFiles.sha256(files.functions()).equals(run.fact("pool_sha256"))) {
                return files.functions();
            }
        }
        return ofTheRuns(runs, "--pool", "pool_sha256", "--pool");
    }

    /** Returns the input file that all runs name in a fact, after checking that the file is unchanged since they ran. */
    private static Path ofTheRuns(List<RunFiles> runs, String argument, String fact, String option) {
        RunFiles run = runs.stream()
                .filter(one -> one.argument(argument) != null)
                .findFirst()
                .orElseThrow(() ->
                        new UsageException("no run.json names the file of " + argument + "; give it with " + option));
        Path file = Objects.requireNonNull(run.argument(argument));
        if (!Files.isRegularFile(file)) {
            throw new InvalidDataException(file + ": does not exist, and " + run.run() + " names it as " + argument
                    + "; give the file with " + option);
        }
        String sha256 = run.fact(fact);
        if (sha256 != null && !sha256.equals(AtomicFiles.sha256(file))) {
            throw new InvalidDataException(
                    file + ": has changed since the run of " + run.run() + "; give the right file with " + option);
        }
        return file;
    }

    private static List<SystemScores> scored(
            Map<String, List<RunFiles>> systems, Scorer scorer, Path gold, FunctionPool functions) {
        List<SystemScores> scored = new ArrayList<>();
        systems.forEach((name, runs) -> scored.add(new SystemScores(
                name,
                runs.stream()
                        .map(run -> ScoringFiles.scored(scorer, gold, functions, run))
                        .toList())));
        return scored;
    }

    private static void writeHarness(List<SystemScores> scored, Path gold, Map<String, String> provenance, Path out) {
        for (SystemScores system : scored) {
            for (int r = 0; r < system.runs().size(); r++) {
                SystemScores.ScoredRun run = system.runs().get(r);
                Map<String, String> facts = new LinkedHashMap<>(provenance);
                facts.put("predictions", run.files().predictions() + "\nsha256 " + run.sha256());
                HarnessFiles harness = new HarnessFiles(system.nameOf(r), gold, facts, Instant.now());
                try (ScoringFiles files = ScoringFiles.open(gold, run.files().predictions())) {
                    files.write(harness, out.resolve(HarnessFiles.sanitized(system.nameOf(r))), run.scores());
                }
            }
        }
    }

    private static List<String> notes(List<RunFiles> runs, Path gold) {
        String sha256 = AtomicFiles.sha256(gold);
        return runs.stream()
                .filter(run -> run.fact("data_sha256") != null && !sha256.equals(run.fact("data_sha256")))
                .map(run -> run.predictions() + " was made from a file other than " + gold
                        + " (an unlabelled copy, or another version).")
                .toList();
    }

    private Map<String, String> provenance(Path samples, @Nullable Path functions, Scorer scorer) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("command", "prpf eval report " + String.join(" ", arguments));
        facts.put("gold", Provenance.describe(samples));
        facts.put("pool", functions == null ? "shipped" : Provenance.describe(functions));
        options.describe(scorer, facts);
        facts.put("revision", System.getProperty("prpf.revision", "unknown"));
        return facts;
    }
}
