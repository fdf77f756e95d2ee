package dev.prpf.eval.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.FunctionPoolReader;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.eval.report.ScoreReport;
import dev.prpf.eval.score.Bootstrap;
import dev.prpf.eval.score.ExactJudge;
import dev.prpf.eval.score.Pairing;
import dev.prpf.eval.score.Scorer;
import dev.prpf.eval.score.Scores;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PredictionLines;
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

    @Option(names = "--gold", required = true, paramLabel = "FILE", description = "Labelled samples.")
    private Path gold;

    @Option(names = "--pool", required = true, paramLabel = "FILE", description = "The function pool of these samples.")
    private Path pool;

    @Option(
            names = "--predictions",
            required = true,
            paramLabel = "FILE",
            description = "JSON Lines, one a sample, as eval run writes them.")
    private Path predictions;

    @Option(
            names = "--scenarios",
            paramLabel = "FILE",
            description = "Scenarios and the map function -> scenario; without it there are no figures by scenario.")
    private @Nullable Path scenarios;

    @Option(names = "--out", paramLabel = "DIR", description = "Write report.html, report.md and report.json there.")
    private @Nullable Path out;

    @Option(
            names = "--resamples",
            paramLabel = "N",
            defaultValue = "2000",
            description = "Bootstrap draws behind the 95 %% intervals (default: ${DEFAULT-VALUE}).")
    private int resamples;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "42",
            description = "Of the bootstrap (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Mixin
    private JsonOption output;

    @picocli.CommandLine.Spec
    private picocli.CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        if (resamples < 1) {
            throw new picocli.CommandLine.ParameterException(
                    spec.commandLine(), "--resamples = " + resamples + ", must be at least 1");
        }
        ScoreReport report = new ScoreReport(score(), provenance());
        if (out != null) {
            report.write(out);
            LOG.info("wrote report.html, report.md and report.json to {}", out);
        }
        if (output.json) {
            ResultStream.json(report.scores().toJson());
        } else {
            ResultStream.line(report.text().stripTrailing());
        }
        return ExitCode.DONE.status();
    }

    private Scores score() {
        List<Sample> samples = SampleReader.readAll(gold);
        FunctionPool functions = FunctionPoolReader.read(pool);
        ScenarioCatalog catalog = scenarios == null ? null : ScenarioCatalogReader.read(scenarios);
        if (catalog != null && !catalog.missing(functions).isEmpty()) {
            LOG.warn(
                    "{} gives these functions of {} no scenario, samples are \"none\" by them: {}",
                    scenarios,
                    pool,
                    catalog.missing(functions));
        }
        Map<String, Prediction> byId =
                Pairing.of(samples, gold.toString(), PredictionLines.read(predictions), predictions.toString());
        Bootstrap bootstrap = new Bootstrap(resamples, seed, Bootstrap.DEFAULT.level());
        return new Scorer(catalog, new ExactJudge(), bootstrap).score(samples, byId, functions);
    }

    private Map<String, String> provenance() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("command", "prpf eval score");
        facts.put("gold", described(gold));
        facts.put("pool", described(pool));
        facts.put("predictions", described(predictions));
        if (scenarios != null) {
            facts.put("scenarios", described(scenarios));
        }
        facts.put("judge", "exact");
        facts.put("bootstrap", resamples + " draws, seed " + seed);
        facts.put("revision", System.getProperty("prpf.revision", "unknown"));
        facts.put("java", System.getProperty("java.version"));
        return facts;
    }

    private static String described(Path file) {
        return file + "\nsha256 " + AtomicFiles.sha256(file);
    }
}
