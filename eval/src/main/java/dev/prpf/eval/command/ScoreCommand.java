package dev.prpf.eval.command;

import dev.prpf.base.command.RunOptions.TrackOption;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.report.Block;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.eval.command.BootstrapOptions.ScenarioOptions;
import dev.prpf.eval.command.BootstrapOptions.ScoringOptions;
import dev.prpf.eval.judge.JudgeOptions;
import dev.prpf.eval.judge.RecordingJudge;
import dev.prpf.eval.judge.SampleVerdict;
import dev.prpf.eval.report.FailureList;
import dev.prpf.eval.report.HarnessFiles;
import dev.prpf.eval.report.ScoreReport;
import dev.prpf.eval.score.Provenance;
import dev.prpf.eval.score.RunFiles;
import dev.prpf.eval.score.ScenarioAnalysis.ScenarioGroups;
import dev.prpf.eval.score.Scorer;
import dev.prpf.eval.score.Scores;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Implements the command {@code prpf eval score}. */
@Command(
        name = "score",
        description = "Score predictions against valid answers: Type-Acc, SR, FTR, precision, recall, F1.",
        footer = {
            "  ./prpf eval score --gold data/synth/test/benchmark_zh.json --pool data/synth/test/function_pool.json \\",
            "      --predictions runs/cascade/predictions.jsonl --scenarios data/scenarios.json --out runs/cascade"
        })
final class ScoreCommand implements Callable<Scores> {
    private static final Logger LOG = LoggerFactory.getLogger(ScoreCommand.class);

    @Mixin
    private ScoringOptions options = new ScoringOptions();

    @Option(
            names = "--predictions",
            required = true,
            paramLabel = "FILE",
            description = "JSON Lines of eval run, one for each sample.")
    private Path predictions;

    @Mixin
    private ScenarioOptions by = new ScenarioOptions();

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description =
                    "Write report.html, report.md, report.json, verdicts.jsonl, results_*.json and samples_*.jsonl there.")
    private @Nullable Path out;

    @Option(
            names = "--failures",
            paramLabel = "N",
            defaultValue = "12",
            description =
                    "List at most N failures of each modality and outcome in the report (default: ${DEFAULT-VALUE}).")
    private int failures;

    @Mixin
    private JudgeOptions judge = new JudgeOptions();

    @Mixin
    private TrackOption tracking = new TrackOption();

    @Override
    public Scores call() {
        judge.requireKnown(); // fails before any file is read
        if (!tracking.trackers.isEmpty() && !isRun(out)) {
            throw new UsageException(
                    "--track sends the scores with the run that made the predictions: --out must be its"
                            + " folder, which holds " + RunDirectory.RUN);
        }
        if (out != null) {
            runFiles().shortlist(); // also fails for an unreadable configuration or description
            runFiles().screenshots();
        }
        ScenarioGroups groups = by.groups();
        ScenarioCatalog catalog = by.catalog();
        FunctionPool functions = FunctionPoolFile.read(options.pool);
        warnOfMissing(catalog, functions);
        Path verdicts = out == null ? null : out.resolve(SampleVerdict.FILE);
        try (ScoringFiles files = ScoringFiles.open(options.gold, predictions);
                StopSignal stop = judge.stopSignal();
                RecordingJudge recording = new RecordingJudge(judge.open(out, stop), verdicts)) {
            Scorer scorer = new Scorer(catalog, recording, options.bootstrap(), options.clusterBy, groups);
            Scores scores = scorer.summed(files.scores(scorer, functions));
            recording.commit();
            Map<String, String> provenance = provenance(scorer);
            if (out != null) {
                new ScoreReport(scores, failures(files, scorer, functions, scores), provenance).write(out);
                files.write(new HarnessFiles(model(), options.gold, provenance, Instant.now()), out, scores);
                LOG.info(
                        "wrote report.html, report.md, report.json, {}, results_*.json and samples_*.jsonl to {}",
                        SampleVerdict.FILE,
                        out);
                if (isRun(out)) {
                    RunDirectory.reported(out);
                }
            }
            options.print(
                    scores,
                    () -> new ScoreReport(scores, List.of(), provenance).text().stripTrailing());
            return scores;
        }
    }

    private static boolean isRun(@Nullable Path folder) {
        return folder != null && Files.isRegularFile(folder.resolve(RunDirectory.RUN));
    }

    private void warnOfMissing(@Nullable ScenarioCatalog catalog, FunctionPool functions) {
        if (catalog != null && !catalog.missing(functions).isEmpty()) {
            LOG.warn(
                    "{} gives these functions of {} no scenario, samples are \"none\" by them: {}",
                    by.scenarios,
                    options.pool,
                    catalog.missing(functions));
        }
    }

    private List<Block.Entry> failures(ScoringFiles files, Scorer scorer, FunctionPool functions, Scores scores) {
        RunFiles run = runFiles();
        FailureList.Prompts prompts = new FailureList.Prompts(run.shortlist(), run.screenshots(), run.traced());
        FailureList list = new FailureList(scorer, functions, prompts, judge.images, failures);
        return files.overGold(samples -> list.of(samples, files.predictions(), scores));
    }

    private RunFiles runFiles() {
        return RunFiles.of(predictions);
    }

    /** Returns the name of the reasoner in the run that made the predictions. */
    private String model() {
        return Objects.requireNonNullElse(runFiles().fact("reasoner"), predictions.toString());
    }

    private Map<String, String> provenance(Scorer scorer) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("command", "prpf eval score");
        facts.put("gold", Provenance.describe(options.gold));
        facts.put("pool", Provenance.describe(options.pool));
        facts.put("predictions", Provenance.describe(predictions));
        if (by.scenarios != null) {
            facts.put("scenarios", Provenance.describe(by.scenarios));
        }
        options.describe(scorer, facts);
        facts.put("revision", System.getProperty("prpf.revision", "unknown"));
        facts.put("java", System.getProperty("java.version"));
        return facts;
    }
}
