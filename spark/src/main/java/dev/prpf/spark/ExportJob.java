package dev.prpf.spark;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.TemporaryFolder;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.parquet.ColumnType;
import dev.prpf.base.parquet.ColumnType.ListOf;
import dev.prpf.base.parquet.ColumnType.Scalar;
import dev.prpf.base.parquet.ColumnType.Struct;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.command.PoolOption;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.RecordColumns;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.par.export.ExportFolder;
import dev.prpf.par.export.ExportFolder.Summary;
import dev.prpf.par.export.RewardedPrompts;
import dev.prpf.par.export.RewardedPrompts.RewardFiles;
import dev.prpf.par.export.Trainer;
import dev.prpf.par.export.TrainerRows;
import dev.prpf.par.reward.RewardGold;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.spark.InputOptions.LenientInputOptions;
import dev.prpf.spark.SampleParser.Problem;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Encoders;
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

    /** The folder of an export: the rows in a subfolder, then the files next to it, {@link ExportFolder#MANIFEST} last. */
    record ExportOutput(SparkSession spark, String folder, Trainer trainer) {
        static final String TRAIN = "train";
        static final String GOLD = "gold";

        /** Writes JSON objects as JSON Lines, or as Parquet with these columns. */
        void rows(JavaRDD<String> rows, Struct columns) {
            String place = folder + "/" + TRAIN;
            if (trainer != Trainer.PARQUET) {
                rows.saveAsTextFile(place);
                return;
            }
            spark.read()
                    .schema(fields(columns))
                    .option("mode", "FAILFAST") // by default a row that does not fit becomes a row of nulls
                    .json(spark.createDataset(rows.rdd(), Encoders.STRING()))
                    .write()
                    .parquet(place);
        }

        private static String fields(Struct columns) {
            return columns.fields().entrySet().stream()
                    .map(field -> "`" + field.getKey() + "` " + sqlType(field.getValue()))
                    .collect(Collectors.joining(", "));
        }

        private static String sqlType(ColumnType type) {
            if (type instanceof Struct struct) {
                return "STRUCT<" + fields(struct) + ">";
            }
            return type instanceof ListOf list
                    ? "ARRAY<" + sqlType(list.element()) + ">"
                    : switch ((Scalar) type) {
                        case INTEGER -> "BIGINT";
                        case NUMBER -> "DOUBLE";
                        default -> type.toString();
                    };
        }

        /** Makes the files of {@code writing} in a local folder, copies them next to the rows, and returns the names of rows and files. */
        List<String> further(Function<ExportFolder, List<String>> writing) {
            try (TemporaryFolder temporary = TemporaryFolder.open("prpf-export")) {
                Path here = temporary.path();
                List<String> names = writing.apply(new ExportFolder(here, trainer, true));
                List<String> files = new ArrayList<>(names);
                files.add(ExportFolder.MANIFEST);
                files.removeIf(name -> !Files.exists(here.resolve(name))); // the rows, which are written already
                for (String name : files) {
                    OutputFolder.write(folder, name, Files.readAllBytes(here.resolve(name)), spark.sparkContext());
                }
                return names;
            } catch (IOException e) {
                throw new UnavailableException("cannot write --out " + folder + ": " + e.getMessage(), e);
            }
        }
    }

    /** A checked SFT set in order; the prompts of all records are written like that of its first. */
    record SftSource(String input, JavaRDD<Numbered> lines, SftRecords head) {
        /** Checks a set; 65 for an invalid record or other prompts than the first, 78 if this version writes other prompts. */
        static SftSource of(String input, JavaRDD<Numbered> lines) {
            Problem.requireNone(lines.flatMap(line -> Problem.of(line.index(), () -> record(input, line))));
            List<Numbered> wordings =
                    new ArrayList<>(lines.keyBy(line -> record(input, line).wording())
                            .reduceByKey((a, b) -> a.index() <= b.index() ? a : b)
                            .values()
                            .collect());
            if (wordings.isEmpty()) {
                throw new InvalidDataException(input + ": holds no SFT records");
            }
            wordings.sort(Comparator.comparingLong(Numbered::index));
            SftRecord first = record(input, wordings.get(0));
            wordings.forEach(line -> SftRecords.requireLike(first, line.place(input), record(input, line)));
            SftRecords head = new SftRecords(input, List.of(first));
            return new SftSource(input, lines, head.requirePrompts(head.prompt()));
        }

        private static SftRecord record(String input, Numbered line) {
            return SftRecords.parse(line.place(input), line.text());
        }

        JavaRDD<SftRecord> records() {
            String place = input;
            return lines.map(line -> record(place, line));
        }

        record Rewarded(SftRecord record, Sample sample) {
            Record row(Trainer trainer, int index) {
                return new TrainerRows(trainer).rewarded(record, sample, ExportOutput.TRAIN, index);
            }
        }

        /** The samples that rewards compare responses with, and the functions that they may call. */
        record Gold(String gold, FunctionPool pool, String poolPlace, SampleParser parser, Trainer trainer)
                implements Serializable {
            private void requireRewarded(Numbered line) {
                RewardGold.of(List.of(parser.checked(line)), line.place(gold), pool, poolPlace);
            }

            private void requireTargets(Pair pair, String set) {
                Sample sample = pair.right().isEmpty()
                        ? null
                        : parser.checked(pair.right().get(0));
                pair.left().forEach(line -> RewardedPrompts.requireTarget(record(set, line), sample, gold));
                new TrainerRows(trainer).requireReadable(record(set, pair.left().get(0)));
            }
        }

        /** Returns the first record of each sample, in order; 65, naming the first, unless each has its gold sample. */
        JavaRDD<Rewarded> rewarded(JavaRDD<Numbered> samples, Gold rule) {
            if (samples.isEmpty()) {
                RewardGold.of(List.of(), rule.gold(), rule.pool(), rule.poolPlace());
            }
            Problem.requireNone(samples.flatMap(line -> Problem.of(line.index(), () -> rule.requireRewarded(line))));
            rule.parser().requireUnique(samples, rule.gold());
            String set = input;
            JavaRDD<Pair> pairs = Pair.joined(lines, line -> record(set, line).id(), samples, line -> rule.parser()
                            .checked(line)
                            .id())
                    .filter(pair -> !pair.left().isEmpty());
            Problem.requireNone(pairs.flatMap(pair -> Problem.of(pair.index(), () -> rule.requireTargets(pair, set))));
            return pairs.map(pair -> new Rewarded(
                    record(set, pair.left().get(0)),
                    rule.parser().checked(pair.right().get(0))));
        }
    }
}
