package dev.prpf.data.command;

import dev.prpf.base.command.OptionGroup;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.ScenarioCatalogReader;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The mixin with {@code --data}, {@code --answers-key} and {@code --scenarios}. */
@OptionGroup(OptionGroup.DATA)
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
            description =
                    "Scenario file, for the scenarios of records (default: those of the functions, else the 14 shipped).")
    private @Nullable Path scenarios;

    /** Reads the selected scenario catalogue. */
    public ScenarioCatalog catalog() {
        return ScenarioCatalogReader.read(scenarios);
    }

    /** Returns the scenarios for these functions, as commands with a pool select them. */
    public ScenarioCatalog catalog(FunctionPool pool) {
        return ScenarioCatalogReader.of(pool, scenarios);
    }

    /**
     * Returns the scenarios of a pool for a validation.
     *
     * @param pool the pool's file; only its valid functions are read
     * @throws PrpfException 65 if the scenarios do not cover the functions, as training would refuse them
     */
    public ScenarioCatalog covering(Path pool) {
        FunctionPool functions = FunctionPoolFile.read(pool, defect -> {}).pool();
        ScenarioCatalog catalog = catalog(functions);
        List<String> missing = catalog.missing(functions);
        if (!missing.isEmpty()) {
            throw new InvalidDataException(
                    "--scenarios " + scenarios + ": has no scenario for " + missing.size() + " of " + functions.size()
                            + " functions, first: " + missing.get(0) + "; add them to its \"functions\"");
        }
        return catalog;
    }

    /** Returns the paths of the answers in records. */
    public AnswersMapping mapping() {
        return AnswersMapping.standard().preferring(answersKeys);
    }
}
