package dev.prpf.eval.command;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import picocli.CommandLine;

/**
 * A command that ran in this process.
 *
 * @param status its exit code
 * @param output its standard output, an error's message included
 */
record CommandRun(int status, String output) {
    /** The project's own configurations. */
    static final Path CONFIGS = Path.of(System.getProperty("prpf.root", "..")).resolve("configs");

    /** @param group an object of the group's class */
    static CommandRun of(Object group, String... arguments) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream before = ResultStream.redirect(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            int status = new CommandLine(group)
                    .setCaseInsensitiveEnumValuesAllowed(true)
                    .setExecutionExceptionHandler((e, c, p) -> {
                        ResultStream.line(String.valueOf(e.getMessage()));
                        return e instanceof PrpfException known
                                ? ExitCode.of(known).status()
                                : 1;
                    })
                    .execute(arguments);
            return new CommandRun(status, bytes.toString(StandardCharsets.UTF_8));
        } finally {
            ResultStream.redirect(before);
        }
    }
}
