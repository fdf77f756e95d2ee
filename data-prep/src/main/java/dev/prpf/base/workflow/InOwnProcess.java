package dev.prpf.base.workflow;

import dev.prpf.base.command.TrackOption;
import dev.prpf.base.error.RunInterruptedException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.run.StopSignal;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

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
            CommandRunner.requireDone(awaited(process, stop));
            if (stop.requested()) { // it ended before it heard of the signal
                throw new RunInterruptedException("stopped by a signal as a command in a process of its own ended");
            }
        }
    }

    /** The words of such a process: {@code java}, this one's options, the class path, the main class, the command. */
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
}
