package dev.prpf.spark;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.ExitCode;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.command.RecordsOptions;
import dev.prpf.data.command.StatsCommand;
import dev.prpf.data.io.DatasetStatistics;
import dev.prpf.spark.InputOptions.LenientInputOptions;
import java.util.Collections;
import java.util.List;
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
        footer = {"", "Example:", "  prpf-spark stats --data records --json"})
final class StatsJob extends SparkJob {
    @Mixin
    private RecordsOptions records = new RecordsOptions();

    @Mixin
    private LenientInputOptions input = new LenientInputOptions();

    @Mixin
    private JsonOption output = new JsonOption();

    @Override
    ExitCode run(SparkSession spark) {
        ScenarioCatalog catalog = records.catalog();
        DatasetStatistics none = DatasetStatistics.of(Collections.emptyIterator(), catalog);
        DatasetStatistics all = input
                .samples(spark, records.data, new SampleParser(records.mapping()), false)
                .mapPartitions(samples ->
                        List.of(DatasetStatistics.of(samples, catalog)).iterator())
                .collect() // summed in the records' order, which is the order of scenarios outside the catalogue
                .stream()
                .reduce(none, DatasetStatistics::plus);
        StatsCommand.print(all, output);
        return ExitCode.DONE;
    }
}
