package dev.prpf.mpp.command;

import dev.prpf.base.command.OptionGroup;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.CatalogFiles;
import dev.prpf.data.io.ScenarioCatalogReader;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the paths of samples and their encodings; a mixin. */
@OptionGroup(OptionGroup.DATA)
final class DataOptions {
    @Option(
            names = "--data",
            required = true,
            paramLabel = "FILE",
            description = "Samples of ProactiveMobile format, as JSON or Parquet.")
    Path data;

    @Option(
            names = "--scenarios",
            paramLabel = "FILE",
            description = "Scenarios and the map function -> scenario (default: the scenarios that the functions state,"
                    + " else the shipped ones).")
    @Nullable
    Path scenarios;

    @Option(names = "--images", paramLabel = "DIR", description = "Root of the samples' image paths.")
    @Nullable
    Path images;

    @Option(
            names = "--store",
            paramLabel = "DIR",
            defaultValue = "runs/store",
            description = "Cache of encodings, read and extended (default: ${DEFAULT-VALUE}).")
    Path store;

    ScenarioCatalog catalog(FunctionPool pool) {
        return ScenarioCatalogReader.of(pool, scenarios);
    }

    /** Returns the scenarios that a gate was trained with. */
    ScenarioCatalog catalog(Path gate) {
        CatalogFiles files = CatalogFiles.find(gate);
        return ScenarioCatalogReader.read(scenarios != null || files == null ? scenarios : files.scenarios());
    }
}
