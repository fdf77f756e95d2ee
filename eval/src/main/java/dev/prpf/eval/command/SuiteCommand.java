package dev.prpf.eval.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.eval.suite.BenchmarkFolder;
import dev.prpf.eval.suite.ContextAgent;
import dev.prpf.eval.suite.ContextAgentSuite;
import dev.prpf.eval.suite.KnowU;
import dev.prpf.eval.suite.KnowUSuite;
import dev.prpf.eval.suite.ProactiveBench;
import dev.prpf.eval.suite.ProactiveBenchSuite;
import dev.prpf.eval.suite.SuiteResult;
import dev.prpf.eval.suite.SuiteText;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code prpf eval suite}. */
@Command(
        name = "suite",
        description = "Score our gate on public human-labelled data, beside baselines and released models.",
        footer = {
            "",
            "Suites (docs/SUITES.md):",
            "  proactivebench  is help due? 233 moments of 12 recorded desktop traces, one trace held out",
            "  contextagent    is help due? 600 records of wearable devices, 5 folds",
            "  knowu           signal or noise? 340 events of two phone logs, one persona held out",
            "Takes minutes; the data are read in place and are not part of this project.",
            "",
            "Example:",
            "  ./prpf eval suite proactivebench --data ../shared/testdata"
        })
public final class SuiteCommand implements Callable<Integer> {
    private static final String NAMES =
            ProactiveBenchSuite.NAME + ", " + ContextAgentSuite.NAME + ", " + KnowUSuite.NAME;

    @Parameters(index = "0", paramLabel = "NAME", description = "The suite: " + SuiteCommand.NAMES + ".")
    private String name;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Folder of the test data (default: system property prpf.testdata, else ../shared/testdata).")
    private @Nullable Path data;

    @Mixin
    private JsonOption output;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        Path root = BenchmarkFolder.root(data);
        SuiteResult result =
                switch (name) {
                    case ProactiveBenchSuite.NAME ->
                        ProactiveBenchSuite.run(BenchmarkFolder.of(root, name, "reward_data", ProactiveBench.SOURCE));
                    case ContextAgentSuite.NAME ->
                        ContextAgentSuite.run(BenchmarkFolder.of(root, name, "cab_train.json", ContextAgent.SOURCE));
                    case KnowUSuite.NAME -> KnowUSuite.run(BenchmarkFolder.of(root, name, "user_logs", KnowU.SOURCE));
                    default ->
                        throw new CommandLine.ParameterException(
                                spec.commandLine(), "no suite '" + name + "'; there are " + NAMES);
                };
        if (output.json) {
            ResultStream.json(result.json());
        } else {
            SuiteText.lines(result).forEach(ResultStream::line);
        }
        return ExitCode.DONE.status();
    }
}
