package dev.prpf.eval.command;

import dev.prpf.data.command.ResultStream;
import dev.prpf.data.run.ExitCode;
import dev.prpf.eval.suite.BenchmarkFolder;
import dev.prpf.eval.suite.ProactiveBenchSuite;
import dev.prpf.eval.suite.SuiteResult;
import dev.prpf.eval.suite.SuiteText;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code prpf eval suite}. */
@Command(
        name = "suite",
        description = "Score our gate on public human-labelled data, beside baselines and released models.",
        footer = {
            "",
            "Suites: proactivebench (is help due? 233 moments of 12 recorded desktop traces; docs/SUITES.md).",
            "Takes minutes; the data are read in place and are not part of this project.",
            "",
            "Example:",
            "  ./prpf eval suite proactivebench --data ../shared/testdata"
        })
public final class SuiteCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "NAME", description = "The suite: proactivebench.")
    private String name;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Folder of the test data (default: system property prpf.testdata, else ../shared/testdata).")
    private @Nullable Path data;

    @Option(names = "--json", description = "The result as JSON on stdout; all else on stderr.")
    private boolean json;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        if (!name.equals(ProactiveBenchSuite.NAME)) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "no suite '" + name + "'; there is " + ProactiveBenchSuite.NAME);
        }
        SuiteResult result = ProactiveBenchSuite.run(BenchmarkFolder.proactiveBench(BenchmarkFolder.root(data)));
        if (json) {
            ResultStream.json(result.json());
        } else {
            SuiteText.lines(result).forEach(ResultStream::line);
        }
        return ExitCode.DONE.status();
    }
}
