package dev.prpf.mpp.command;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import picocli.CommandLine;

/** {@code prpf gate …} in a process of its own, to be sent a signal. */
final class SignalledCommand {
    private SignalledCommand() {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new GateCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((exception, command, parsed) -> {
                    System.err.println(exception.getMessage());
                    return exception instanceof PrpfException known
                            ? ExitCode.of(known).status()
                            : 1;
                })
                .execute(arguments));
    }
}
