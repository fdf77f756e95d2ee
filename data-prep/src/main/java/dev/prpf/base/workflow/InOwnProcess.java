package dev.prpf.base.workflow;

import dev.prpf.base.command.RunOptions.TrackOption;
import dev.prpf.base.error.PrpfException.RunInterruptedException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.run.StopSignal;
import dev.prpf.base.workflow.StageRunner.CommandRunner;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs each command in its own Java process with this process's options, so that its memory and time do not depend on earlier
 * commands. Signals are forwarded; the command's result is discarded.
 *
 * @param mainClass the class with the main method of {@code prpf}
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
            CommandRunner.requireDone(awaited(process, stop));
            if (stop.requested()) { // it ended before the signal arrived
                throw new RunInterruptedException("stopped by a signal when a command in its own process ended");
            }
        }
    }

    /** Returns the command line of the process: {@code java}, this process's options, the class path, the main class, the command. */
    public List<String> line(List<String> command) {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        line.addAll(TrackOption.handedOn());
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
        line.addAll(command);
        return line;
    }

    private static int awaited(Process process, StopSignal stop) {
        boolean signalled = false;
        try {
            while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                if (stop.requested() && !signalled) {
                    process.destroy(); // SIGTERM: it saves and leaves with 75
                    signalled = true;
                }
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new RunInterruptedException("interrupted while a command ran in its own process");
        }
    }
}
