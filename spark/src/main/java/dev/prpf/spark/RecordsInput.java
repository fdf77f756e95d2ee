package dev.prpf.spark;

import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.ScenarioCatalogReader;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code --data}, {@code --answers-key} and {@code --scenarios}, with the meaning they have on one machine; a mixin. */
final class RecordsInput {
    @Option(
            names = "--data",
            required = true,
            paramLabel = "PATH",
            description = "Records: JSON Lines or Parquet; a file, a folder or a pattern.")
    String data = "";

    @Option(
            names = "--answers-key",
            paramLabel = "POINTER",
            description = "Another place of the answers, as a JSON Pointer (repeatable).")
    private List<String> answersKeys = List.of();

    @Option(
            names = "--scenarios",
            paramLabel = "FILE",
            description =
                    "Scenario file on the driver's machine, for the scenarios of records (default: the 14 shipped).")
    private @Nullable Path scenarios;

    @Mixin
    private PartitionsOption partitions = new PartitionsOption();

    JavaRDD<Numbered> lines(SparkSession spark) {
        return Lines.of(spark, data, ParquetColumns.RECORDS, partitions.minimum());
    }

    ScenarioCatalog catalog() {
        return ScenarioCatalogReader.read(scenarios);
    }

    AnswersMapping mapping() {
        return AnswersMapping.standard().preferring(answersKeys);
    }
}
