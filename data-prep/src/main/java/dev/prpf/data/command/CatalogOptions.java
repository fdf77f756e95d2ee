package dev.prpf.data.command;

import dev.prpf.base.command.OptionGroup;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.CatalogFiles;
import dev.prpf.data.io.ScenarioCatalogReader;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The mixin with {@code --pool} and {@code --scenarios}. */
@OptionGroup(OptionGroup.DATA)
public class CatalogOptions extends PoolOption {
    @Option(
            names = "--scenarios",
            paramLabel = "FILE",
            description = "Scenario file (default: the scenarios that the functions state, else the shipped ones).")
    public @Nullable Path scenarios;

    /**
     * Uses the functions and scenarios of a trained gate where no option names others.
     *
     * @param gate run of the gate; null without one, which changes nothing
     * @throws PrpfException 78 if an option names other functions or scenarios than the gate's
     */
    public void ofGate(@Nullable Path gate) {
        CatalogFiles files = gate == null ? null : CatalogFiles.find(gate);
        if (files != null && !files.has(functions())) {
            pool = CatalogFiles.requireDefault("--pool", pool, files.functions());
        }
        if (files != null && !files.has(catalog())) {
            scenarios = CatalogFiles.requireDefault("--scenarios", scenarios, files.scenarios());
        }
    }

    /** Reads the selected scenario catalogue. */
    public ScenarioCatalog catalog() {
        return ScenarioCatalogReader.of(functions(), scenarios);
    }

    /** Returns the catalogue's hash for a run's identity. */
    public String scenariosSha256() {
        return sha256(scenarios);
    }
}
