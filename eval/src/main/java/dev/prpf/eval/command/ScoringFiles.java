package dev.prpf.eval.command;

import dev.prpf.base.error.Closing;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IndexedRecords;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.io.SampleReader;
import dev.prpf.eval.report.HarnessFiles;
import dev.prpf.eval.score.Pairing;
import dev.prpf.eval.score.RunFiles;
import dev.prpf.eval.score.SampleScore;
import dev.prpf.eval.score.Scorer;
import dev.prpf.eval.score.Scores;
import dev.prpf.eval.score.SystemScores;
import dev.prpf.par.cascade.Prediction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.commons.lang3.stream.Streams;
import org.jspecify.annotations.Nullable;

/**
 * A gold file and the predictions of its samples, paired one to one. Memory holds ids and offsets; for a pipe, all predictions.
 *
 * @param index of a file of predictions, which closes with this record; null for a pipe
 */
record ScoringFiles(
        Path gold, Function<String, @Nullable Prediction> predictions, @Nullable IndexedRecords<Prediction> index)
        implements AutoCloseable {
    /** @throws PrpfException 65 as {@link Pairing#require} */
    static ScoringFiles open(Path gold, Path file) {
        if (Files.isRegularFile(file)) {
            IndexedRecords<Prediction> index = Prediction.index(file);
            return Closing.ifRefused(
                    new ScoringFiles(gold, index::get, index), files -> files.paired(index.keys(), file));
        }
        Map<String, Prediction> byId = new LinkedHashMap<>();
        Prediction.read(file).forEach(prediction -> byId.put(prediction.id(), prediction));
        return new ScoringFiles(gold, byId::get, null).paired(byId.keySet(), file);
    }

    private ScoringFiles paired(Set<String> predicted, Path file) {
        return overGold(samples -> {
            Iterator<Pairing.Gold> all =
                    Streams.of(samples).map(Pairing.Gold::of).iterator();
            Pairing.require(all, gold.toString(), predicted, file.toString());
            return this;
        });
    }

    static List<SampleScore> scores(Scorer scorer, Path gold, FunctionPool functions, Path file) {
        try (ScoringFiles files = open(gold, file)) {
            return files.scores(scorer, functions);
        }
    }

    static SystemScores.ScoredRun scored(Scorer scorer, Path gold, FunctionPool functions, RunFiles run) {
        return new SystemScores.ScoredRun(
                run,
                AtomicFiles.sha256(run.predictions()),
                scorer.summed(scores(scorer, gold, functions, run.predictions())));
    }

    List<SampleScore> scores(Scorer scorer, FunctionPool functions) {
        return overGold(samples -> scorer.samples(samples, predictions, functions));
    }

    /** Applies a function to one pass over the gold file. */
    <T> T overGold(Function<Iterator<Sample>, T> walk) {
        try (SampleReader samples = SampleReader.open(gold)) {
            return walk.apply(samples);
        }
    }

    void write(HarnessFiles harness, Path directory, Scores scores) {
        try (SampleReader samples = SampleReader.open(gold)) {
            harness.write(directory, scores, samples, predictions);
        }
    }

    @Override
    public void close() {
        if (index != null) {
            index.close();
        }
    }
}
