package dev.prpf.spark;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.command.ConfigOptions;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.par.sets.DataSftConfig;
import dev.prpf.par.sets.SftSet;
import java.nio.file.Path;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs {@code data sft-set} over any number of samples, with the offline teacher and without a perceiver. */
@Command(
        name = "sft-set",
        description = "Make an SFT set of labelled samples: prompts and responses, reasoning included.",
        footer = {
            "",
            "Example:",
            "  spark-submit --class dev.prpf.spark.Main spark/target/prpf-spark.jar sft-set --config configs/data-sft-set.yaml \\",
            "      --data records --pool function_pool.json --out sft"
        })
final class SftJob extends SparkJob {
    @Mixin
    private ConfigOptions common = new ConfigOptions();

    @Mixin
    private RecordsInput records = new RecordsInput();

    @Option(
            names = "--pool",
            paramLabel = "FILE",
            description = "Function pool, on the driver's machine (default: the shipped one).")
    private @Nullable Path pool;

    @Option(
            names = "--images",
            paramLabel = "DIR",
            description = "Root of the screenshots' paths, visible to every executor; required if samples have"
                    + " screenshots.")
    private @Nullable String images;

    @Option(
            names = "--out",
            required = true,
            paramLabel = "DIR",
            description = "The set, as JSON Lines in the samples' order.")
    private String out = "";

    @Mixin
    private FailedRecords failures = new FailedRecords();

    private record Summary(@Nullable String out, @JsonUnwrapped SftSet.Counts counts, String reasoning) {}

    @Override
    ExitCode run(SparkSession spark) {
        DataSftConfig config = common.required(DataSftConfig.class, "data sft-set");
        OutputFolder.requireFree("--out", out, context(spark).hadoopConfiguration());
        JavaRDD<Numbered> lines = records.lines(spark);
        failures.requireFree(lines);
        SampleParser parser = new SampleParser(records.mapping());
        failures.settle(lines, parser::parse, records.data);
        UniqueIds.require(lines, parser, records.data);
        SftWriting writing =
                new SftWriting(FunctionPoolFile.read(pool), records.catalog(), config.prompt(), config.set(), images);
        JavaRDD<SftWriting.Part> parts =
                lines.flatMap(parser).mapPartitions(writing).persist(StorageLevel.MEMORY_AND_DISK());
        try {
            SftSet.Counts counts = counts(parts, records.data);
            counts.requireRecords(config.set());
            if (!common.dryRun) {
                parts.flatMap(part -> part.lines().iterator()).saveAsTextFile(out);
            }
            String reasoning = EnumName.of(config.prompt().reasoning());
            common.print(new Summary(common.dryRun ? null : out, counts, reasoning));
            return ExitCode.DONE;
        } finally {
            parts.unpersist();
        }
    }

    private static SftSet.Counts counts(JavaRDD<SftWriting.Part> parts, String source) {
        if (parts.isEmpty()) {
            throw new InvalidDataException(source + ": holds no samples to make a set of");
        }
        return parts.map(SftWriting.Part::counts).reduce(SftSet.Counts::plus);
    }
}
