package dev.prpf.eval.command;

import dev.prpf.data.Sample;
import dev.prpf.eval.score.Pairing;
import dev.prpf.par.cascade.Prediction;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options of commands that score predictions; a mixin. */
final class ScoringOptions extends ClusterOptions {
    @Option(names = "--gold", required = true, paramLabel = "FILE", description = "Labelled samples.")
    Path gold;

    @Option(names = "--pool", required = true, paramLabel = "FILE", description = "The function pool of these samples.")
    Path pool;

    /** Returns a file's predictions by id; 65 unless samples and predictions pair one to one. */
    Map<String, Prediction> predictions(List<Sample> samples, Path file) {
        List<Prediction> predictions = new ArrayList<>();
        Prediction.read(file, prediction -> predictions.add(prediction.withoutCost()));
        return Pairing.of(samples, gold.toString(), predictions, file.toString());
    }
}
