package dev.prpf.eval.command;

import dev.prpf.base.command.OptionGroup;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.eval.score.ScenarioAnalysis.ScenarioGroups;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of commands that score by scenario; a mixin. */
@OptionGroup(OptionGroup.DATA)
public final class ScenarioOptions {
    @Option(
            names = "--scenarios",
            paramLabel = "FILE",
            description = "Scenarios and the map function -> scenario; without it there are no metrics by scenario.")
    public @Nullable Path scenarios;

    @Option(
            names = "--unseen",
            split = ",",
            paramLabel = "SCENARIO",
            description = "Scenarios that training never saw, for the metrics in and out of distribution"
                    + " (default: ProactiveMobile's, Logistics & Delivery and Smart Home).")
    private @Nullable List<String> unseen;

    /** Returns the scenarios, or null without the option. */
    public @Nullable ScenarioCatalog catalog() {
        return scenarios == null ? null : ScenarioCatalogReader.read(scenarios);
    }

    /** Returns the scenario groups that have metrics. */
    public ScenarioGroups groups() {
        return unseen == null ? ScenarioGroups.PAPERS : ScenarioGroups.PAPERS.withUnseen(unseen);
    }
}
