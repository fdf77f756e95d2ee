package dev.prpf.eval.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.UsageException;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.Sample;
import dev.prpf.eval.score.Pairing;
import dev.prpf.par.cascade.Prediction;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options of every command that scores predictions; a mixin. */
final class ScoringOptions extends JsonOption {
    @Option(names = "--gold", required = true, paramLabel = "FILE", description = "Labelled samples.")
    Path gold;

    @Option(names = "--pool", required = true, paramLabel = "FILE", description = "The function pool of these samples.")
    Path pool;

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

    Bootstrap bootstrap() {
        if (resamples < 1) {
            throw new UsageException("--resamples = " + resamples + ", must be at least 1");
        }
        return new Bootstrap(resamples, seed, Bootstrap.DEFAULT.level());
    }

    /** A file's predictions of the samples, by id; 65 unless they are paired one to one. */
    Map<String, Prediction> predictions(List<Sample> samples, Path file) {
        List<Prediction> predictions = new ArrayList<>();
        Prediction.read(file, prediction -> predictions.add(prediction.withoutCost()));
        return Pairing.of(samples, gold.toString(), predictions, file.toString());
    }
}
