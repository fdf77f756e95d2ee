package dev.prpf.eval;

import dev.prpf.data.command.DataCommand;
import dev.prpf.data.command.ResultStream;
import dev.prpf.data.run.ExitCode;
import dev.prpf.data.run.PrpfException;
import dev.prpf.eval.command.EvalCommand;
import dev.prpf.mpp.command.MppCommand;
import dev.prpf.par.command.ParCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry point of {@code ./prpf}. */
@Command(
        name = "prpf",
        description = "Perceive before reasoning: proactive mobile agents, from data to scores.",
        subcommands = {DataCommand.class, MppCommand.class, ParCommand.class, EvalCommand.class})
public final class Main implements Runnable {
    @picocli.CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    private Main() {}

    public static void main(String[] arguments) {
        ResultStream.claim();
        System.exit(execute(arguments));
    }

    /** Runs one command line and returns its exit status. */
    static int execute(String... arguments) {
        return commandLine().execute(arguments);
    }

    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Main());
        addHelp(line);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((exception, command, parsed) -> report(exception));
        return line;
    }

    private static void addHelp(CommandLine line) {
        line.getCommandSpec().mixinStandardHelpOptions(true);
        line.getSubcommands().values().forEach(Main::addHelp);
    }

    private static int report(Exception exception) {
        if (exception instanceof PrpfException known) {
            System.err.println("error: " + known.getMessage());
            return known.exitCode().status();
        }
        System.err.println("error: this is a bug in prpf, please report it with the lines below");
        exception.printStackTrace();
        return ExitCode.BUG.status();
    }

    /** No subcommand given: usage, exit 2. */
    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "a command is needed");
    }
}
