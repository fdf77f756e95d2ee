package dev.prpf.data.command;

import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.ScenarioCatalogReader;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The mixin with {@code --pool} and {@code --scenarios}. */
public class CatalogOptions extends PoolOption {
    @Option(names = "--scenarios", paramLabel = "FILE", description = "Scenario file (default: the shipped one).")
    public @Nullable Path scenarios;

    /** Reads the selected scenario catalogue. */
    public ScenarioCatalog catalog() {
        return ScenarioCatalogReader.read(scenarios);
    }

    /** Returns the catalogue's hash for a run's identity. */
    public String scenariosSha256() {
        return sha256(scenarios);
    }
}
