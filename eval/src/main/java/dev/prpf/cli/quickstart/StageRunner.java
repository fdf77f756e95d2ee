package dev.prpf.cli.quickstart;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.RunInterruptedException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.cli.quickstart.QuickstartPlan.Stage;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** Runs the stages' commands in this process, one after the other; a stage that was done before a kill is not done again. */
final class StageRunner {
    private final Supplier<CommandLine> commandLine;
    private final Path record;
    private final Map<String, Double> seconds;

    /**
     * @param commandLine makes a fresh command tree
     * @param record where the seconds of finished stages are kept
     */
    StageRunner(Supplier<CommandLine> commandLine, Path record) {
        this.commandLine = commandLine;
        this.record = record;
        this.seconds = read(record);
    }

    private static Map<String, Double> read(Path record) {
        if (!Files.exists(record)) {
            return new LinkedHashMap<>();
        }
        try {
            return new ObjectMapper().readValue(record.toFile(), new TypeReference<LinkedHashMap<String, Double>>() {});
        } catch (IOException e) {
            throw new InvalidDataException(record + ": is no record of finished stages (" + e.getMessage()
                    + "); remove the folder to begin anew");
        }
    }

    Map<String, Double> seconds() {
        return seconds;
    }

    /**
     * Runs a stage's commands unless they are done.
     *
     * @param number of the stage, from 1, of {@code of} ones
     */
    void run(Stage stage, int number, int of) {
        announce(number, of, stage.name() + ": " + stage.about());
        if (seconds.containsKey(stage.name())) {
            System.err.println("      done before");
            return;
        }
        long start = System.nanoTime();
        try {
            stage.commands().forEach(this::execute);
        } catch (RunInterruptedException e) {
            // The stage names its own run; whoever stopped the quickstart goes on with the quickstart's.
            throw new RunInterruptedException(
                    e.getMessage() + "\nthe quickstart goes on with: ./prpf quickstart --run-dir " + record.getParent(),
                    e);
        }
        finished(stage.name(), start);
    }

    static void announce(int number, int of, String what) {
        System.err.println("[" + number + "/" + of + "] " + what);
    }

    /**
     * Notes that a stage is done.
     *
     * @param start its {@link System#nanoTime} at the beginning
     */
    void finished(String stage, long start) {
        seconds.put(stage, Math.round((System.nanoTime() - start) / 1e8) / 10.0);
        AtomicFiles.writeText(record, JsonRecords.write(seconds));
        System.err.printf(Locale.ROOT, "      %.1f s%n", seconds.get(stage));
    }

    private void execute(List<String> command) {
        System.err.println("      ./prpf " + String.join(" ", command));
        AtomicReference<@Nullable Exception> thrown = new AtomicReference<>();
        CommandLine line = commandLine.get();
        line.setExecutionExceptionHandler((exception, ignored, parsed) -> {
            thrown.set(exception);
            return ExitCode.BUG.status();
        });
        // A stage's own result is progress here; the quickstart's result comes at the end.
        PrintStream results = ResultStream.redirect(System.err);
        try {
            int status = line.execute(command.toArray(String[]::new));
            Exception failure = thrown.get();
            if (failure != null) {
                throw unchecked(failure);
            }
            if (status != ExitCode.DONE.status()) {
                String left = "the command above left with " + status;
                throw status == ExitCode.BAD_DATA.status()
                        ? new InvalidDataException(left)
                        : new IllegalStateException(left);
            }
        } finally {
            ResultStream.redirect(results);
        }
    }

    private static RuntimeException unchecked(Exception exception) {
        return exception instanceof IOException io
                ? new UncheckedIOException(io)
                : exception instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(exception);
    }
}
