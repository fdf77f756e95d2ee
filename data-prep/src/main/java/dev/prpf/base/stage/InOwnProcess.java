package dev.prpf.base.stage;

import dev.prpf.base.error.DivergedException;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.GateFailedException;
import dev.prpf.base.error.InsufficientMemoryException;
import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.RunInterruptedException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.error.UsageException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.run.StopSignal;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Runs each command in a Java process of its own with this one's options, so that its memory and its time are not those of what ran before.
 * A signal that comes here is handed on; what the command prints as its result is dropped.
 *
 * @param mainClass with the main method of {@code prpf}
 */
public record InOwnProcess(String mainClass) implements CommandRunner {
    private static final long LOOK_MILLIS = 200;

    @Override
    public void run(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(line(command))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        try (StopSignal stop = StopSignal.install()) {
            Process process = IoFailure.whileReading("cannot start a Java process", builder::start);
            int status = awaited(process, stop);
            if (status != ExitCode.DONE.status()) {
                throw failure(status);
            }
        }
    }

    private List<String> line(List<String> command) {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
        line.addAll(command);
        return line;
    }

    private static int awaited(Process process, StopSignal stop) {
        boolean told = false;
        try {
            while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                if (stop.requested() && !told) {
                    process.destroy(); // SIGTERM: it saves and leaves with 75
                    told = true;
                }
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new RunInterruptedException("interrupted while a command ran in a process of its own");
        }
    }

    /** What the command threw, which it has told on standard error itself. */
    private static RuntimeException failure(int status) {
        String left = "the command above left with " + status + "; the lines above say why";
        ExitCode code = Stream.of(ExitCode.values())
                .filter(one -> one.status() == status)
                .findFirst()
                .orElse(ExitCode.BUG);
        return switch (code) {
            case USAGE -> new UsageException(left);
            case OUT_OF_MEMORY -> new InsufficientMemoryException(left);
            case DIVERGED -> new DivergedException(left);
            case GATE_FAILED -> new GateFailedException(left);
            case BAD_DATA -> new InvalidDataException(left);
            case UNAVAILABLE -> new UnavailableException(left);
            case CHECKPOINTED -> new RunInterruptedException(left);
            case BAD_CONFIG -> new InvalidConfigurationException(left);
            case DONE, BUG -> new IllegalStateException(left);
        };
    }
}
