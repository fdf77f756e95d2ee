package dev.prpf.base.command;

import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The mixin with {@code --json}, which prints the results of commands. */
@OptionGroup(OptionGroup.RUN)
public class JsonOption {
    @Option(names = "--json", description = "Print the result as JSON on stdout; everything else goes to stderr.")
    public boolean json;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Prints a command's result: one line of JSON with {@code --json}, else the text. */
    public final void print(Object result, Supplier<String> text) {
        printLines(result, () -> List.of(text.get()));
    }

    /** Prints a command's result: one line of JSON with {@code --json}, else lines of text. */
    public final void printLines(Object result, Supplier<List<String>> lines) {
        if (json) {
            ResultStream.json(result);
        } else {
            lines.get().forEach(ResultStream::line);
        }
    }

    /** Prints a command's metrics as {@link ResultStream#metrics} does. */
    public final void print(Object metrics) {
        ResultStream.metrics(metrics, json);
    }

    /** Returns the arguments of the command line as typed. */
    public final List<String> arguments() {
        return command.commandLine().getParseResult().originalArgs();
    }
}
