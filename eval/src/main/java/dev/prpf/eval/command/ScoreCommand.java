package dev.prpf.eval.command;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.report.Block;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.eval.compare.Provenance;
import dev.prpf.eval.compare.RunFiles;
import dev.prpf.eval.judge.JudgeChoice;
import dev.prpf.eval.judge.RecordingJudge;
import dev.prpf.eval.judge.SampleVerdict;
import dev.prpf.eval.report.FailureList;
import dev.prpf.eval.report.ScoreReport;
import dev.prpf.eval.score.ScenarioGroups;
import dev.prpf.eval.score.Scorer;
import dev.prpf.eval.score.Scores;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf eval score}. */
@Command(
        name = "score",
        description = "Score predictions against valid answers: Type-Acc, SR, FTR, precision, recall, F1.",
        footer = {
            "",
            "Example:",
            "  ./prpf eval score --gold data/synth/test/benchmark_zh.json --pool data/synth/test/function_pool.json \\",
            "      --predictions runs/cascade/predictions.jsonl --scenarios data/scenarios.json --out runs/cascade"
        })
public final class ScoreCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(ScoreCommand.class);

    @Mixin
    private ScoringOptions options = new ScoringOptions();

    @Option(
            names = "--predictions",
            required = true,
            paramLabel = "FILE",
            description = "JSON Lines, one a sample, as eval run writes them.")
    private Path predictions;

    @Option(
            names = "--scenarios",
            paramLabel = "FILE",
            description = "Scenarios and the map function -> scenario; without it there are no metrics by scenario.")
    private @Nullable Path scenarios;

    @Option(
            names = "--unseen",
            split = ",",
            paramLabel = "SCENARIO",
            description = "Scenarios that training never saw, for the metrics in and out of distribution"
                    + " (default: ProactiveMobile's, Logistics & Delivery and Smart Home).")
    private @Nullable List<String> unseen;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Write report.html, report.md, report.json and verdicts.jsonl there.")
    private @Nullable Path out;

    @Option(
            names = "--images",
            paramLabel = "DIR",
            description = "Root of the samples' image paths, to show screenshots of failures in the report.")
    private @Nullable Path images;

    @Option(
            names = "--failures",
            paramLabel = "N",
            defaultValue = "12",
            description =
                    "List at most N failures of each modality and outcome in the report (default: ${DEFAULT-VALUE}).")
    private int failures;

    @Option(
            names = "--judge",
            paramLabel = "JUDGE",
            defaultValue = "exact",
            description = {
                "Who decides on functional equivalence, for SR: exact, llm:FILE (a model on a server, see"
                        + " configs/judge-llm.yaml) or local:FILE (a model in this process, see"
                        + " configs/judge-local.yaml); default: ${DEFAULT-VALUE}."
            })
    private String judge;

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "Override a key of the judge's file (repeatable).")
    private List<String> overrides = List.of();

    @Override
    public Integer call() {
        JudgeChoice choice = JudgeChoice.parse(judge);
        ScenarioGroups groups = unseen == null ? ScenarioGroups.PAPERS : ScenarioGroups.PAPERS.withUnseen(unseen);
        ScenarioCatalog catalog = scenarios == null ? null : ScenarioCatalogReader.read(scenarios);
        FunctionPool functions = FunctionPoolFile.read(options.pool);
        warnOfMissing(catalog, functions);
        Path verdicts = out == null ? null : out.resolve(SampleVerdict.FILE);
        try (ScoringFiles files = ScoringFiles.open(options.gold, predictions);
                StopSignal stop = StopSignal.install();
                RecordingJudge recording =
                        new RecordingJudge(choice.open(out, overrides, System.getenv(), stop::requested), verdicts)) {
            Scorer scorer = new Scorer(catalog, recording, options.bootstrap(), options.clusterBy, groups);
            Scores scores = scorer.summed(files.scores(scorer, functions));
            recording.commit();
            report(files, scores, scorer, functions);
        }
        return 0;
    }

    private void warnOfMissing(@Nullable ScenarioCatalog catalog, FunctionPool functions) {
        if (catalog != null && !catalog.missing(functions).isEmpty()) {
            LOG.warn(
                    "{} gives these functions of {} no scenario, samples are \"none\" by them: {}",
                    scenarios,
                    options.pool,
                    catalog.missing(functions));
        }
    }

    private void report(ScoringFiles files, Scores scores, Scorer scorer, FunctionPool functions) {
        List<Block.Entry> entries = out == null ? List.of() : failures(files, scorer, functions, scores);
        ScoreReport report = new ScoreReport(scores, entries, provenance(scorer));
        if (out != null) {
            report.write(out);
            LOG.info("wrote report.html, report.md, report.json and {} to {}", SampleVerdict.FILE, out);
        }
        if (options.json) {
            ResultStream.json(scores);
        } else {
            ResultStream.line(report.text().stripTrailing());
        }
    }

    private List<Block.Entry> failures(ScoringFiles files, Scorer scorer, FunctionPool functions, Scores scores) {
        String k = Provenance.of(RunFiles.of(predictions)).facts().getOrDefault("config.top-k", "5");
        FailureList list = new FailureList(scorer, functions, Integer.parseInt(k), images, failures);
        return files.overGold(samples -> list.of(samples, files.predictions(), scores));
    }

    private Map<String, String> provenance(Scorer scorer) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("command", "prpf eval score");
        facts.put("gold", described(options.gold));
        facts.put("pool", described(options.pool));
        facts.put("predictions", described(predictions));
        if (scenarios != null) {
            facts.put("scenarios", described(scenarios));
        }
        facts.put("judge", scorer.judge().id());
        if (scorer.judge().usage() != null) {
            facts.put("judge usage", JsonRecords.write(scorer.judge().usage()));
        }
        facts.put(
                "bootstrap",
                scorer.bootstrap().resamples() + " draws, seed "
                        + scorer.bootstrap().seed() + ", of whole sources (" + options.clusterBy.key() + ")");
        facts.put("revision", System.getProperty("prpf.revision", "unknown"));
        facts.put("java", System.getProperty("java.version"));
        return facts;
    }

    private static String described(Path file) {
        return Files.isRegularFile(file)
                ? file + "\nsha256 " + AtomicFiles.sha256(file)
                : file + " (a pipe, which can be read once)";
    }
}
