package dev.prpf.base.workflow;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.RunInterruptedException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Runs the stages of a workflow in order; a stage that finished before a kill is skipped. */
public final class StageRunner {
    /** The name of the record in a run's directory. */
    public static final String FILE = "stages.json";

    private final Path record;
    private final String again;
    private final Map<String, Double> seconds;

    /**
     * @param record the file with the seconds of finished stages
     * @param again the command line that resumes all stages
     */
    public StageRunner(Path record, String again) {
        this.record = record;
        this.again = again;
        this.seconds = read(record);
    }

    /**
     * Opens the run of a directory with stages.
     *
     * @throws PrpfException 78 if stages were done with other or unknown settings
     */
    public static RunDirectory open(Path directory, Resume resume, RunDescription description) {
        Path stages = directory.resolve(FILE);
        if (Files.exists(stages) && !Files.exists(directory.resolve(RunDirectory.RUN))) {
            throw new InvalidConfigurationException(
                    stages + ": no run.json next to it, so its settings are unknown; name another --run-dir");
        }
        return RunDirectory.open(directory, resume, description);
    }

    private static Map<String, Double> read(Path record) {
        if (!Files.exists(record)) {
            return new LinkedHashMap<>();
        }
        try {
            return new ObjectMapper().readValue(record.toFile(), new TypeReference<LinkedHashMap<String, Double>>() {});
        } catch (IOException e) {
            throw new InvalidDataException(record + ": is not a record of finished stages (" + e.getMessage()
                    + "); remove the folder to start again");
        }
    }

    /** Returns the seconds of the finished stages, in the order of their ends. */
    public Map<String, Double> seconds() {
        return Collections.unmodifiableMap(seconds);
    }

    /** Runs a stage's commands unless they are done. */
    public void run(Stage stage, CommandRunner commands, int number, int of) {
        announce(number, of, stage.name() + ": " + stage.about());
        if (seconds.containsKey(stage.name())) {
            System.err.println("      done before");
            return;
        }
        long start = System.nanoTime();
        try {
            stage.commands().forEach(command -> {
                System.err.println("      " + Stage.typed(command));
                commands.run(command);
            });
        } catch (RunInterruptedException e) {
            // The stage's message names only its own run.
            throw new RunInterruptedException(e.getMessage() + "\nto resume all stages: " + again, e);
        }
        finished(stage.name(), start);
    }

    public static void announce(int number, int of, String what) {
        System.err.println("[" + number + "/" + of + "] " + what);
    }

    /** Records that a stage is done; {@code start} is the {@link System#nanoTime} of its start. */
    public void finished(String stage, long start) {
        took(stage, (System.nanoTime() - start) / 1e9);
        System.err.printf(Locale.ROOT, "      %.1f s%n", seconds.get(stage));
    }

    /** Records that another process finished a stage in this number of seconds. */
    public void took(String stage, double inSeconds) {
        seconds.put(stage, Math.round(inSeconds * 10) / 10.0);
        AtomicFiles.writeText(record, JsonRecords.write(seconds));
    }

    /** Runs prpf commands, in this process or in a new one. */
    public interface CommandRunner {
        /**
         * Runs a command to its end.
         *
         * @param command words without {@code ./prpf}
         * @throws PrpfException if the command fails, with its exit status; 75 if a signal stopped it
         */
        void run(List<String> command);

        /** @throws PrpfException the failure of the command's exit status */
        static void requireDone(int status) {
            if (status != ExitCode.DONE.status()) {
                throw ExitCode.failure(status, "the command above left with " + status + "; the lines above say why");
            }
        }
    }
}
