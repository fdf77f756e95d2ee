package dev.prpf.spark;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.check.Finding;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.eval.command.ClusterOptions;
import dev.prpf.eval.command.ScenarioOptions;
import dev.prpf.eval.judge.Judge;
import dev.prpf.eval.report.ScoreReport;
import dev.prpf.eval.score.Pairing;
import dev.prpf.eval.score.Pairing.Ids;
import dev.prpf.eval.score.Pairing.Misfit;
import dev.prpf.eval.score.SampleScore;
import dev.prpf.eval.score.ScenarioGroups;
import dev.prpf.eval.score.Scorer;
import dev.prpf.eval.score.Scores;
import dev.prpf.par.cascade.Prediction;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import scala.Tuple2;

/** Runs {@code eval score} over any number of samples, with the exact judge. */
@Command(
        name = "score",
        description = "Score predictions against valid answers: Type-Acc, SR, FTR, precision, recall, F1.",
        footer = {
            "",
            "Example:",
            "  spark-submit --class dev.prpf.spark.Main spark/target/prpf-spark.jar score --gold records \\",
            "      --pool function_pool.json --predictions predictions --json"
        })
final class ScoreJob extends SparkJob {
    @Option(
            names = "--gold",
            required = true,
            paramLabel = "PATH",
            description = "Labelled samples: JSON Lines or Parquet; a file, a folder or a pattern.")
    private String gold = "";

    @Option(names = "--pool", required = true, paramLabel = "FILE", description = "The pool, on the driver's machine.")
    private Path pool = Path.of("");

    @Option(
            names = "--predictions",
            required = true,
            paramLabel = "PATH",
            description = "One prediction for each sample, in eval run's format: JSON Lines or Parquet.")
    private String predictions = "";

    @Mixin
    private ScenarioOptions by = new ScenarioOptions();

    @Mixin
    private PartitionsOption partitions = new PartitionsOption();

    @Mixin
    private ClusterOptions options = new ClusterOptions();

    @Override
    ExitCode run(SparkSession spark) {
        ScenarioGroups groups = by.groups();
        ScenarioCatalog catalog = by.catalog();
        FunctionPool functions = FunctionPoolFile.read(pool);
        Scorer scorer = new Scorer(catalog, Judge.standard(), options.bootstrap(), options.clusterBy, groups);
        PairScoring scoring =
                new PairScoring(new SampleParser(AnswersMapping.standard()), functions, catalog, options.clusterBy);
        Scores scores = scorer.summed(scores(spark, scoring));
        options.print(
                scores,
                () -> new ScoreReport(scores, List.of(), Map.of()).text().stripTrailing());
        return ExitCode.DONE;
    }

    /** Returns one score for each sample, in the samples' order. */
    private List<SampleScore> scores(SparkSession spark, PairScoring scoring) {
        String source = gold;
        String of = predictions;
        JavaPairRDD<String, Numbered> samples = Lines.of(spark, gold, ParquetColumns.RECORDS, partitions.minimum())
                .mapToPair(line -> new Tuple2<>(idOfSample(line, scoring.parser(), source), line));
        JavaRDD<Numbered> lines = Lines.of(spark, predictions, ParquetColumns.PREDICTIONS, partitions.minimum());
        JavaPairRDD<String, Numbered> predicted = lines.mapToPair(line -> new Tuple2<>(
                Prediction.parse(of + ", prediction " + line.index(), line.text())
                        .id(),
                line));
        List<PairScoring.Placed> placed = new ArrayList<>();
        Map<Misfit, PairScoring.MisfitIds> misfits = new EnumMap<>(Misfit.class);
        long count = 0;
        for (PairScoring.Part part :
                samples.cogroup(predicted).mapPartitions(scoring).collect()) {
            count += part.samples();
            placed.addAll(part.scores());
            part.misfits().forEach((misfit, some) -> misfits.merge(misfit, some, PairScoring.MisfitIds::plus));
        }
        Pairing.requireSome(count, gold);
        Map<Misfit, Ids> ids = new EnumMap<>(Misfit.class);
        misfits.forEach((misfit, some) -> ids.put(misfit, some.ids()));
        Pairing.requireNone(ids, gold, predictions);
        placed.sort(Comparator.comparingLong(PairScoring.Placed::index));
        return placed.stream().map(PairScoring.Placed::score).toList();
    }

    /** @throws PrpfException 65 if the line is not a sample: a skipped sample would have no score */
    private static String idOfSample(Numbered line, SampleParser parser, String source) {
        List<Finding> failures = new ArrayList<>();
        Sample sample = parser.parse(line, failures::add);
        if (sample == null) {
            throw new InvalidDataException(source + ": record " + line.index() + ", "
                    + failures.get(0).defect().describe() + "; validate lists every defect");
        }
        return sample.id();
    }
}
