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
import java.util.function.Supplier;
import picocli.CommandLine;

/** Runs the stages' commands in this process, one after the other; a stage that was done before a kill is not done again. */
final class StageRunner {
    private final Supplier<CommandLine> commandLine;
    private final Path record;
    private final Map<String, Double> seconds;

    /** @param record where the seconds of finished stages are kept */
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

    /** Runs a stage's commands unless they are done. */
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

    /** Notes that a stage is done, which began when {@link System#nanoTime} was {@code start}. */
    void finished(String stage, long start) {
        seconds.put(stage, Math.round((System.nanoTime() - start) / 1e8) / 10.0);
        AtomicFiles.writeText(record, JsonRecords.write(seconds));
        System.err.printf(Locale.ROOT, "      %.1f s%n", seconds.get(stage));
    }

    private void execute(List<String> command) {
        System.err.println("      ./prpf " + String.join(" ", command));
        CommandLine line = commandLine.get();
        // A stage's own result is progress here; the quickstart's result comes at the end.
        PrintStream results = ResultStream.redirect(System.err);
        try {
            int status = line.getExecutionStrategy().execute(line.parseArgs(command.toArray(String[]::new)));
            if (status != ExitCode.DONE.status()) {
                String left = "the command above left with " + status;
                throw status == ExitCode.BAD_DATA.status()
                        ? new InvalidDataException(left)
                        : new IllegalStateException(left);
            }
        } catch (CommandLine.ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw e.getCause() instanceof IOException io ? new UncheckedIOException(io) : e;
        } finally {
            ResultStream.redirect(results);
        }
    }
}
