package dev.prpf.spark;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.ExitCode;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.check.DatasetStatistics;
import dev.prpf.data.command.StatsCommand;
import java.util.Collections;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs {@code data stats} over any number of records. */
@Command(
        name = "stats",
        description = {
            "Count items, intents, images and functions by split and modality (PRPF's Table 5).",
            "Samples are also counted by difficulty, scenario and calls per answer."
        },
        footer = {
            "",
            "Example:",
            "  spark-submit --class dev.prpf.spark.Main spark/target/prpf-spark.jar stats --data records --json"
        })
final class StatsJob extends SparkJob {
    @Mixin
    private RecordsInput records = new RecordsInput();

    @Mixin
    private FailedRecords failures = new FailedRecords();

    @Mixin
    private JsonOption output = new JsonOption();

    @Override
    ExitCode run(SparkSession spark) {
        JavaRDD<Numbered> lines = records.lines(spark);
        failures.requireFree(lines);
        SampleParser parser = new SampleParser(records.mapping());
        failures.settle(lines, parser::parse, records.data);
        ScenarioCatalog catalog = records.catalog();
        List<DatasetStatistics> parts = lines.flatMap(parser)
                .mapPartitions(samples ->
                        List.of(DatasetStatistics.of(samples, catalog)).iterator())
                .collect(); // summed in the records' order, which is the order of scenarios outside the catalogue
        DatasetStatistics none = DatasetStatistics.of(Collections.emptyIterator(), catalog);
        StatsCommand.print(parts.stream().reduce(none, DatasetStatistics::plus), output);
        return ExitCode.DONE;
    }
}
