package dev.prpf.data.command;

import dev.prpf.data.FunctionPool;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.ScenarioCatalogReader;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The mixin with {@code --data}, {@code --answers-key} and {@code --scenarios}. */
public class RecordsOptions {
    @Option(
            names = "--data",
            required = true,
            paramLabel = "FILE",
            description =
                    "Records: JSON Lines, a JSON array (not on Spark), or Parquet (a file, or a folder of shards).")
    public String data = "";

    @Option(
            names = "--answers-key",
            paramLabel = "POINTER",
            description = "An additional path of the answers, as a JSON Pointer (repeatable).")
    private List<String> answersKeys = List.of();

    @Option(
            names = "--scenarios",
            paramLabel = "FILE",
            description = "Scenario file, for the scenarios of records (default: the 14 shipped).")
    private @Nullable Path scenarios;

    /** Reads the selected scenario catalogue. */
    public ScenarioCatalog catalog() {
        return ScenarioCatalogReader.read(scenarios);
    }

    /** Returns the scenarios for these functions, as commands with a pool select them. */
    public ScenarioCatalog catalog(FunctionPool pool) {
        return ScenarioCatalogReader.of(pool, scenarios);
    }

    /** Returns the paths of the answers in records. */
    public AnswersMapping mapping() {
        return AnswersMapping.standard().preferring(answersKeys);
    }
}
