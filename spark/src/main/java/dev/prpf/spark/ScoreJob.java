package dev.prpf.spark;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.eval.command.BootstrapOptions.ClusterOptions;
import dev.prpf.eval.command.BootstrapOptions.ScenarioOptions;
import dev.prpf.eval.judge.Judge;
import dev.prpf.eval.report.ScoreReport;
import dev.prpf.eval.score.Pairing;
import dev.prpf.eval.score.SampleScore;
import dev.prpf.eval.score.ScenarioAnalysis.ScenarioGroups;
import dev.prpf.eval.score.Scorer;
import dev.prpf.eval.score.Scorer.ClusterBy;
import dev.prpf.eval.score.Scores;
import dev.prpf.par.cascade.Prediction;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.commons.lang3.stream.Streams;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs {@code eval score} over any number of samples, with the exact judge. */
@Command(
        name = "score",
        description = "Score predictions against valid answers: Type-Acc, SR, FTR, precision, recall, F1.",
        footer = {
            "",
            "Example:",
            "  prpf-spark score --gold records --pool function_pool.json --predictions predictions --json"
        })
final class ScoreJob extends SparkJob {
    @Option(names = "--gold", required = true, paramLabel = "PATH", description = "Labelled samples.")
    private String gold = "";

    @Option(names = "--pool", required = true, paramLabel = "FILE", description = "The pool, on the driver's machine.")
    private Path pool = Path.of("");

    @Option(names = "--predictions", required = true, paramLabel = "PATH", description = "One for each sample.")
    private String predictions = "";

    @Mixin
    private ScenarioOptions by = new ScenarioOptions();

    @Mixin
    private InputOptions input = new InputOptions();

    @Mixin
    private ClusterOptions options = new ClusterOptions();

    @Override
    ExitCode run(SparkSession spark) {
        FunctionPool functions = FunctionPoolFile.read(pool);
        ScenarioCatalog catalog = by.catalog();
        ClusterBy clusterBy = options.clusterBy;
        SampleParser parser = new SampleParser(AnswersMapping.standard());
        List<SampleScore> scored = pairs(spark, parser)
                .mapPartitions(pairs -> scores(
                        pairs,
                        parser,
                        new Scorer(catalog, Judge.standard(), Bootstrap.DEFAULT, clusterBy, ScenarioGroups.PAPERS),
                        functions))
                .collect();
        Scores scores =
                new Scorer(catalog, Judge.standard(), options.bootstrap(), clusterBy, by.groups()).summed(scored);
        options.print(
                scores,
                () -> new ScoreReport(scores, List.of(), Map.of()).text().stripTrailing());
        return ExitCode.DONE;
    }

    /** Returns samples with their predictions; 65, naming the first ids, unless each labelled sample has one. */
    private JavaRDD<Pair> pairs(SparkSession spark, SampleParser parser) {
        String ofGold = gold;
        String ofPredictions = predictions;
        JavaRDD<Numbered> samples = input.lines(spark, gold, ParquetColumns.RECORDS);
        Function<Numbered, String> idOfPrediction =
                line -> Prediction.parse(ofPredictions + ", prediction " + line.index(), line.text())
                        .id();
        JavaRDD<Numbered> predicted = input.lines(spark, predictions, ParquetColumns.PREDICTIONS);
        Pairing.require(
                samples.map(line -> Pairing.Gold.of(sample(line, parser, ofGold)))
                        .collect()
                        .iterator(),
                gold,
                predicted.map(idOfPrediction).collect(),
                predictions);
        return Pair.joined(samples, line -> parser.checked(line).id(), predicted, idOfPrediction);
    }

    /** Returns the sample of a line; an unreadable one ends the job, since it would have no score. */
    private static Sample sample(Numbered line, SampleParser parser, String source) {
        return Objects.requireNonNull(parser.parse(line, failure -> {
            throw new InvalidDataException(line.refusal(source, failure));
        }));
    }

    private static Iterator<SampleScore> scores(
            Iterator<Pair> pairs, SampleParser parser, Scorer scorer, FunctionPool functions) {
        Map<String, Prediction> open = new HashMap<>();
        Iterator<Sample> samples = Streams.of(pairs)
                .map(pair -> {
                    open.put(
                            pair.id(),
                            Prediction.parse(pair.id(), pair.right().get(0).text()));
                    return parser.checked(pair.left().get(0));
                })
                .iterator();
        return scorer.samples(samples, open::remove, functions).iterator();
    }
}
