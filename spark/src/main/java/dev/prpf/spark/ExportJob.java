package dev.prpf.spark;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.parquet.ColumnType;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.command.PoolOption;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.RecordColumns;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.par.export.ExportFolder.Summary;
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
            "  prpf-spark export --to trl --examples sft --out trl",
            "  prpf-spark export --to verl --examples sft --gold records --pool function_pool.json --out verl"
        })
final class ExportJob extends SparkJob {
    @Option(names = "--to", required = true, paramLabel = "TRAINER", description = "One of: ${COMPLETION-CANDIDATES}.")
    private Trainer trainer = Trainer.PARQUET;

    /** Exactly one of the two inputs. */
    static final class Source {
        @Option(names = "--examples", required = true, paramLabel = "PATH", description = "An SFT set.")
        private @Nullable String set;

        @Option(names = "--data", required = true, paramLabel = "PATH", description = "Records, for --to parquet.")
        private @Nullable String data;
    }

    @ArgGroup(multiplicity = "1")
    private Source source = new Source();

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "Where the export goes.")
    private String out = "";

    @Option(names = "--gold", paramLabel = "PATH", description = "Samples of the set; makes a GRPO set.")
    private @Nullable String gold;

    @Mixin
    private PoolOption pool = new PoolOption();

    @Option(names = "--reward", paramLabel = "FILE", description = "GRPO: constants (default: the paper's).")
    private @Nullable Path reward;

    @Mixin
    private LenientInputOptions input = new LenientInputOptions();

    @Mixin
    private JsonOption output = new JsonOption();

    @Override
    ExitCode run(SparkSession spark) {
        checkOptions();
        OutputFolder.requireFree("--out", out, spark.sparkContext());
        ExportOutput folder = new ExportOutput(spark, out, trainer);
        output.print(source.data == null ? ofSet(spark, folder) : samples(spark, source.data, folder));
        return ExitCode.DONE;
    }

    private Summary ofSet(SparkSession spark, ExportOutput folder) {
        String place = Objects.requireNonNull(source.set, "one of two is given");
        SftSource set = SftSource.of(place, input.lines(spark, place, ParquetColumns.SFT_RECORDS));
        if (set.head().prompt().screenshots().showsImages()) {
            throw new UsageException("the prompts of " + place
                    + " show images, which this job does not copy; export the set with `prpf data export"
                    + " --images DIR`");
        }
        return gold == null ? supervised(set, folder) : rewarded(spark, set, gold, folder);
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
        if (source.data == null && input.folder != null) {
            throw new UsageException("--failed goes with --data: a set has no records that cannot be read");
        }
        trainer.requireSet(gold != null);
    }

    private Summary samples(SparkSession spark, String data, ExportOutput folder) {
        JavaRDD<Sample> samples = input.samples(spark, data, new SampleParser(AnswersMapping.standard()), true);
        folder.rows(samples.map(sample -> RecordColumns.row(sample).toString()), RecordColumns.WRITTEN);
        long labelled = samples.filter(Sample::labelled).count();
        long acting = samples.filter(sample -> sample.labelled() && sample.wantsIntervention())
                .count();
        List<String> files = folder.further(local -> local.writeFurther(List.of(ExportOutput.TRAIN)));
        return new Summary(
                out, trainer.toString(), "records", samples.count(), 0, acting, labelled - acting, 0, 0, files);
    }

    private Summary supervised(SftSource set, ExportOutput folder) {
        Trainer to = trainer;
        JavaRDD<SftRecord> records = set.records();
        folder.rows(
                records.map(record -> JsonRecords.write(new TrainerRows(to).supervised(record))),
                ColumnType.of(TrainerRows.typeOf(false)));
        List<String> files = folder.further(local -> local.writeFurther(List.of(ExportOutput.TRAIN), set.head(), null));
        return summary(
                set, records.count(), records.filter(SftRecord::intervention).count(), files);
    }

    private Summary rewarded(SparkSession spark, SftSource set, String goldInput, ExportOutput folder) {
        FunctionPool functions = pool.functions();
        RewardFiles rules = new RewardFiles(Map.of(), functions, RewardSettings.read(reward));
        SampleParser parser = new SampleParser(AnswersMapping.standard());
        JavaRDD<Numbered> samples = input.lines(spark, goldInput, ParquetColumns.RECORDS);
        input.settle(samples, goldInput, parser::parse);
        Trainer to = trainer;
        JavaRDD<SftSource.Rewarded> prompts =
                set.rewarded(samples, new SftSource.Gold(goldInput, functions, pool.place(), parser, trainer));
        JavaRDD<String> rows = prompts.zipWithIndex()
                .map(prompt -> JsonRecords.write(prompt._1().row(to, Math.toIntExact(prompt._2()))));
        folder.rows(rows, ColumnType.of(TrainerRows.typeOf(true)));
        JavaRDD<Sample> answers = prompts.map(SftSource.Rewarded::sample);
        answers.map(SampleWriter::line).saveAsTextFile(out + "/" + ExportOutput.GOLD);
        List<String> folders = List.of(ExportOutput.TRAIN, ExportOutput.GOLD);
        List<String> files = folder.further(local -> local.writeFurther(folders, set.head(), rules));
        return summary(
                set, answers.count(), answers.filter(Sample::wantsIntervention).count(), files);
    }

    private Summary summary(SftSource set, long records, long acting, List<String> files) {
        String stage = gold == null ? "sft" : "grpo";
        long rewritten = set.records().filter(SftRecord::rewrittenForOthers).count();
        return new Summary(out, trainer.toString(), stage, records, 0, acting, records - acting, rewritten, 0, files);
    }
}
