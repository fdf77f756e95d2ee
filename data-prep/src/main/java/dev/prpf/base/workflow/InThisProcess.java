package dev.prpf.base.workflow;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.workflow.StageRunner.CommandRunner;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Runs commands in this process. Their results count as progress and go to standard error.
 *
 * @param commandLine creates the command tree, unused
 */
public record InThisProcess(Supplier<CommandLine> commandLine) implements CommandRunner {
    /** Creates a runner for the tree of a command. */
    public static InThisProcess of(CommandSpec command) {
        Class<?> root = command.root().userObject().getClass();
        CommandLine.IExecutionStrategy strategy = command.root().commandLine().getExecutionStrategy();
        return new InThisProcess(() -> {
            CommandLine fresh = new CommandLine(root);
            fresh.setCaseInsensitiveEnumValuesAllowed(true);
            fresh.setExecutionStrategy(strategy);
            return fresh;
        });
    }

    @Override
    public void run(List<String> command) {
        call(command, System.err);
    }

    /**
     * Runs a command and returns its value; null unless the command is a {@link java.util.concurrent.Callable}.
     *
     * @param to receives the command's result
     */
    public @Nullable Object call(List<String> command, PrintStream to) {
        PrintStream results = ResultStream.redirect(to);
        try {
            return callShown(command);
        } finally {
            ResultStream.redirect(results);
        }
    }

    /** Runs a command; its result is the result of this process. */
    public void runShown(List<String> command) {
        callShown(command);
    }

    private @Nullable Object callShown(List<String> command) {
        CommandLine line = commandLine.get();
        try {
            CommandLine.ParseResult parsed = line.parseArgs(command.toArray(String[]::new));
            CommandRunner.requireDone(line.getExecutionStrategy().execute(parsed));
            List<CommandLine> commands = parsed.asCommandLineList();
            return commands.get(commands.size() - 1).getExecutionResult();
        } catch (CommandLine.ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw e.getCause() instanceof IOException io ? new UncheckedIOException(io) : e;
        }
    }
}
