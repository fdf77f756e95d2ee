package dev.prpf.eval.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.eval.suite.DataFolder;
import dev.prpf.eval.suite.Suite;
import dev.prpf.eval.suite.SuiteResult;
import dev.prpf.eval.suite.SuiteText;
import dev.prpf.eval.suite.Suites;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code prpf eval suite}. */
@Command(
        name = "suite",
        description = "Score our gate on public human-labelled data, beside baselines and released models.",
        modelTransformer = SuiteCommand.Footer.class)
public final class SuiteCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "NAME", description = "One of the suites below.")
    private String name;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Folder of the suite's data (default: environment variable " + DataFolder.VARIABLE
                    + ", else system property " + DataFolder.PROPERTY + ").")
    private @Nullable Path data;

    @Mixin
    private JsonOption output;

    @CommandLine.Spec
    private CommandSpec spec;

    /** Lists the suites that there are, with the commands that get their data. */
    static final class Footer implements CommandLine.IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec command) {
            List<String> lines = new ArrayList<>(List.of("", "Suites (docs/SUITES.md):"));
            Suites.ALL.forEach(suite -> lines.add("  %-14s  %s".formatted(suite.name(), suite.about())));
            lines.add("Each takes minutes. The data are not part of this project and are read in place; get them with");
            Suites.ALL.forEach(suite -> lines.add("  " + suite.source().command()));
            lines.addAll(List.of("", "Example:", "  ./prpf eval suite proactivebench --data ProactiveAgent"));
            command.usageMessage().footer(lines.toArray(String[]::new));
            return command;
        }
    }

    @Override
    public Integer call() {
        Suite suite = Suites.named(name)
                .orElseThrow(() -> new CommandLine.ParameterException(
                        spec.commandLine(),
                        "no suite '" + name + "'; there are "
                                + Suites.ALL.stream().map(Suite::name).collect(Collectors.joining(", "))));
        SuiteResult result = suite.protocol().apply(DataFolder.of(suite, data, System.getenv()));
        if (output.json) {
            ResultStream.json(result);
        } else {
            ResultStream.line(SuiteText.of(result));
        }
        return 0;
    }
}
