package dev.prpf.data.command;

import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.ScenarioCatalogReader;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --pool} and {@code --scenarios}; a mixin. */
public class CatalogOptions extends PoolOption {
    @Option(names = "--scenarios", paramLabel = "FILE", description = "Scenario file (default: the shipped one).")
    public @Nullable Path scenarios;

    /** The catalogue asked for. */
    public ScenarioCatalog catalog() {
        return ScenarioCatalogReader.read(scenarios);
    }

    /** What a run's identity holds of it. */
    public String scenariosSha256() {
        return sha256(scenarios);
    }
}
