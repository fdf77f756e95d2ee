package dev.prpf.cli.launch;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Finds and runs the programs of schedulers.
 *
 * @param path folders to search, in the format of {@code PATH}
 */
record Programs(String path) {
    private static final File NOTHING = new File("/dev/null");

    static Programs ofEnvironment() {
        return new Programs(Objects.requireNonNullElse(System.getenv("PATH"), ""));
    }

    /**
     * Runs a program and returns its output.
     *
     * @throws PrpfException 69, with the program's output, if it is missing or exits with a status other than 0
     */
    String run(List<String> command) {
        StringBuilder printed = new StringBuilder();
        lines(command, line -> printed.append(line).append('\n'));
        return printed.toString();
    }

    /** Runs a program like {@link #run} and passes on each line immediately. */
    void lines(List<String> command, Consumer<String> line) {
        Process process = start(command, ProcessBuilder.Redirect.PIPE);
        CompletableFuture<String> said = CompletableFuture.supplyAsync(() -> read(process.errorReader()));
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            output.lines().forEach(line);
            int status = process.waitFor();
            if (status != 0) {
                throw new UnavailableException(command.get(0) + " failed (exit code " + status + "): "
                        + said.join().strip());
            }
        } catch (IOException e) {
            throw new UnavailableException(command.get(0) + " cannot be read: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("interrupted while " + command.get(0) + " ran", e);
        } finally {
            process.destroy();
        }
    }

    /** Starts a program that outlives this process and appends its output to a file. */
    Process startInBackground(List<String> command, Path log) {
        return start(command, ProcessBuilder.Redirect.appendTo(log.toFile()));
    }

    private Process start(List<String> command, ProcessBuilder.Redirect output) {
        List<String> words = new ArrayList<>(command);
        words.set(0, find(command.get(0)));
        ProcessBuilder builder =
                new ProcessBuilder(words).redirectInput(NOTHING).redirectOutput(output);
        if (output.file() != null) {
            builder.redirectErrorStream(true);
        }
        builder.environment().put("PATH", path);
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UnavailableException(command.get(0) + " cannot be started: " + e.getMessage(), e);
        }
    }

    private String find(String program) {
        return Stream.of(path.split(File.pathSeparator, -1))
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst()
                .map(Path::toString)
                .orElseThrow(() ->
                        new UnavailableException(program + ": no such program on the PATH; run this on a machine with "
                                + program + ", or launch --to another scheduler"));
    }

    private static String read(BufferedReader reader) {
        StringBuilder text = new StringBuilder();
        reader.lines().forEach(line -> text.append(line).append('\n'));
        return text.toString();
    }
}
