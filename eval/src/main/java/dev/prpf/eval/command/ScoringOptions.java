package dev.prpf.eval.command;

import dev.prpf.base.files.IndexedRecords;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.io.SampleReader;
import dev.prpf.eval.score.Pairing;
import dev.prpf.eval.score.SampleScore;
import dev.prpf.eval.score.Scorer;
import dev.prpf.par.cascade.Prediction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options of every command that scores predictions; a mixin. */
final class ScoringOptions extends ClusterOptions {
    @Option(names = "--gold", required = true, paramLabel = "FILE", description = "Labelled samples.")
    Path gold;

    @Option(names = "--pool", required = true, paramLabel = "FILE", description = "The function pool of these samples.")
    Path pool;

    /** A file's predictions of the samples, by id; 65 unless they are paired one to one. */
    Map<String, Prediction> predictions(List<Sample> samples, Path file) {
        List<Prediction> predictions = new ArrayList<>();
        Prediction.read(file, prediction -> predictions.add(prediction.withoutCost()));
        return Pairing.of(samples, gold.toString(), predictions, file.toString());
    }

    /** The score of each sample, in the gold file's order, without holding the files in memory; 65 as {@link #predictions}. */
    static List<SampleScore> scores(Scorer scorer, Path gold, FunctionPool functions, Path file) {
        if (!Files.isRegularFile(file)) { // a pipe: it can be read once
            List<Sample> samples = SampleReader.readAll(gold);
            Map<String, Prediction> byId = Pairing.of(samples, gold.toString(), Prediction.read(file), file.toString());
            return scorer.samples(samples.iterator(), byId::get, functions);
        }
        try (IndexedRecords<Prediction> predictions = Prediction.index(file)) {
            try (SampleReader samples = SampleReader.open(gold)) {
                Pairing.require(samples, gold.toString(), predictions.keys(), file.toString());
            }
            try (SampleReader samples = SampleReader.open(gold)) {
                return scorer.samples(samples, predictions::get, functions);
            }
        }
    }
}
