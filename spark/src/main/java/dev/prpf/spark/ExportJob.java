package dev.prpf.spark;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.UsageException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.parquet.ColumnType;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.command.PoolOption;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.RecordColumns;
import dev.prpf.par.export.RewardFiles;
import dev.prpf.par.export.Trainer;
import dev.prpf.par.export.TrainerRows;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.sets.SftRecord;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs {@code data export} on a set of any size. */
@Command(
        name = "export",
        description = {
            "Write an SFT set in another trainer's format, or with --gold prompts and their gold answers.",
            "--to parquet writes a set or records as Parquet, for no particular trainer."
        },
        footer = {
            "",
            "Examples:",
            "  spark-submit --class dev.prpf.spark.Main spark/target/prpf-spark.jar export --to trl --examples sft --out trl",
            "  spark-submit --class dev.prpf.spark.Main spark/target/prpf-spark.jar export --to verl --examples sft \\",
            "      --gold records --pool function_pool.json --out verl"
        })
final class ExportJob extends SparkJob {
    @Option(names = "--to", required = true, paramLabel = "TRAINER", description = "One of: ${COMPLETION-CANDIDATES}.")
    private Trainer trainer = Trainer.PARQUET;

    /** Exactly one of the two inputs. */
    static final class Source {
        @Option(
                names = "--examples",
                required = true,
                paramLabel = "PATH",
                description = "An SFT set: JSON Lines or Parquet; a file, a folder or a pattern.")
        private @Nullable String set;

        @Option(
                names = "--data",
                required = true,
                paramLabel = "PATH",
                description = "Records, for --to parquet: JSON Lines or Parquet.")
        private @Nullable String data;
    }

    @ArgGroup(multiplicity = "1")
    private Source source = new Source();

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "Where the export goes.")
    private String out = "";

    @Option(
            names = "--gold",
            paramLabel = "PATH",
            description = "Labelled samples that the set was made from; makes a GRPO set.")
    private @Nullable String gold;

    @Mixin
    private PoolOption pool = new PoolOption();

    @Option(
            names = "--reward",
            paramLabel = "FILE",
            description = "GRPO: the reward's constants, see configs/reasoner-reward.yaml (default: the paper's).")
    private @Nullable Path reward;

    @Mixin
    private PartitionsOption partitions = new PartitionsOption();

    @Mixin
    private FailedRecords failures = new FailedRecords();

    @Mixin
    private JsonOption output = new JsonOption();

    /** @param pictures number of images copied: 0, since sets with images in their prompts are refused */
    private record Summary(
            String out,
            String to,
            String stage,
            long records,
            long acting,
            long silent,
            long rewritten,
            int pictures,
            List<String> files) {}

    @Override
    ExitCode run(SparkSession spark) {
        checkOptions();
        OutputFolder.requireFree("--out", out, context(spark).hadoopConfiguration());
        ExportOutput folder = new ExportOutput(spark, out, trainer);
        Summary summary;
        if (source.data != null) {
            summary = samples(spark, source.data, folder);
        } else {
            SftSource set = SftSource.read(
                    spark, Objects.requireNonNull(source.set, "one of two is given"), partitions.minimum());
            summary = gold == null ? supervised(set, folder) : rewarded(spark, set, gold, folder);
        }
        output.print(summary);
        return ExitCode.DONE;
    }

    private void checkOptions() {
        if (gold == null && (pool.pool != null || reward != null)) {
            throw new UsageException(
                    "--pool and --reward belong to a GRPO set; give its samples with --gold, or leave them out");
        }
        if (source.data != null && (trainer != Trainer.PARQUET || gold != null)) {
            throw new UsageException(
                    "--data goes with --to parquet, and not with --gold: a trainer reads a set, which `sft-set` makes");
        }
        if (source.data == null && failures.isEnabled()) {
            throw new UsageException("--failed goes with --data: a set has no records that cannot be read");
        }
        trainer.requireSet(gold != null);
    }

    /** Exports samples without making prompts. */
    private Summary samples(SparkSession spark, String data, ExportOutput folder) {
        JavaRDD<Numbered> lines = Lines.of(spark, data, ParquetColumns.RECORDS, partitions.minimum());
        failures.requireFree(lines);
        SampleParser parser = new SampleParser(AnswersMapping.standard());
        failures.settle(lines, parser::parse, data);
        UniqueIds.require(lines, parser, data);
        JavaRDD<Sample> samples = lines.flatMap(parser);
        folder.rows(samples.map(sample -> RecordColumns.row(sample).toString()), RecordColumns.WRITTEN);
        long labelled = samples.filter(Sample::labelled).count();
        long acting = samples.filter(sample -> sample.labelled() && sample.wantsIntervention())
                .count();
        List<String> files = folder.beside(beside -> beside.writeBeside(List.of(ExportOutput.TRAIN)));
        return new Summary(out, trainer.toString(), "records", samples.count(), acting, labelled - acting, 0, 0, files);
    }

    private static void requireText(SftSource set) {
        if (set.head().prompt().screenshots().pictured()) {
            throw new UsageException("the prompts of " + set.input()
                    + " show images, which this job does not copy; export the set with `prpf data export"
                    + " --images DIR`");
        }
    }

    private Summary supervised(SftSource set, ExportOutput folder) {
        requireText(set);
        Trainer to = trainer;
        JavaRDD<SftRecord> records = records(set);
        folder.rows(
                records.map(record -> JsonRecords.write(new TrainerRows(to).supervised(record))),
                ColumnType.of(TrainerRows.typeOf(false)));
        List<String> files = folder.beside(beside -> beside.writeBeside(List.of(ExportOutput.TRAIN), set.head(), null));
        long count = records.count();
        return summary("sft", count, records.filter(SftRecord::intervention).count(), rewritten(records), files);
    }

    private static JavaRDD<SftRecord> records(SftSource set) {
        String input = set.input();
        return set.lines().map(line -> SftSource.record(input, line));
    }

    private static long rewritten(JavaRDD<SftRecord> records) {
        return records.filter(SftRecord::rewrittenForOthers).count();
    }

    private Summary summary(String stage, long records, long acting, long rewritten, List<String> files) {
        return new Summary(out, trainer.toString(), stage, records, acting, records - acting, rewritten, 0, files);
    }

    private Summary rewarded(SparkSession spark, SftSource set, String goldInput, ExportOutput folder) {
        requireText(set);
        FunctionPool functions = pool.functions();
        RewardSettings settings = RewardSettings.read(reward);
        SampleParser parser = new SampleParser(AnswersMapping.standard());
        RewardedLines joining = new RewardedLines(set.input(), goldInput, functions, pool.place(), parser);
        JavaRDD<Numbered> samples = Lines.of(spark, goldInput, ParquetColumns.RECORDS, partitions.minimum());
        failures.settle(samples, parser::parse, goldInput);
        JavaRDD<RewardedLines.Chosen> chosen = joining.chosen(set.lines(), samples, trainer);
        folder.rows(joining.rows(chosen, trainer), ColumnType.of(TrainerRows.typeOf(true)));
        folder.gold(joining.gold(chosen));
        RewardFiles rules = new RewardFiles(Map.of(), functions, settings);
        List<String> rows = List.of(ExportOutput.TRAIN, ExportOutput.GOLD);
        List<String> files = folder.beside(beside -> beside.writeBeside(rows, set.head(), rules));
        return summary("grpo", chosen.count(), joining.acting(chosen), rewritten(records(set)), files);
    }
}
