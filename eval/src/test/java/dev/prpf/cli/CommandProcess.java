package dev.prpf.cli;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Runs one {@code prpf} command line in a separate process, like the launcher. Its standard output is complete, including output of libraries.
 */
public final class CommandProcess {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private final Path directory;
    private final List<String> jvmOptions;
    private final Map<String, String> environment;
    private final ProcessBuilder.Redirect output;

    private CommandProcess(
            Path directory, List<String> jvmOptions, Map<String, String> environment, ProcessBuilder.Redirect output) {
        this.directory = directory;
        this.jvmOptions = List.copyOf(jvmOptions);
        this.environment = Map.copyOf(environment);
        this.output = output;
    }

    /** Commands that run in this working directory. */
    public static CommandProcess in(Path directory) {
        return new CommandProcess(directory, List.of(), Map.of(), ProcessBuilder.Redirect.PIPE);
    }

    /** Adds a system property. */
    public CommandProcess with(String property, String value) {
        List<String> options = new ArrayList<>(jvmOptions);
        options.add("-D" + property + "=" + value);
        return new CommandProcess(directory, options, environment, output);
    }

    /** Adds environment variables to the process. */
    public CommandProcess withEnvironment(Map<String, String> variables) {
        return new CommandProcess(directory, jvmOptions, variables, output);
    }

    /** Redirects standard output to this file; {@link Result#stdout} is then empty. */
    public CommandProcess writingTo(Path file) {
        return new CommandProcess(directory, jvmOptions, environment, ProcessBuilder.Redirect.to(file.toFile()));
    }

    /**
     * Exit code and output of a process.
     *
     * @param exitCode its exit status
     * @param stdout everything it wrote to standard output
     * @param stderr everything it wrote to standard error
     */
    public record Result(int exitCode, String stdout, String stderr) {}

    /** Runs {@code prpf ARGUMENTS} to its end. */
    public Result run(String... arguments) {
        try {
            Process process = builder(arguments).redirectOutput(output).start();
            CompletableFuture<String> stderr = CompletableFuture.supplyAsync(() -> drain(process.getErrorStream()));
            CompletableFuture<String> stdout = CompletableFuture.supplyAsync(() -> drain(process.getInputStream()));
            if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("prpf " + String.join(" ", arguments) + " still runs after " + LIMIT);
            }
            return new Result(process.exitValue(), stdout.join(), stderr.join());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Begins {@code prpf ARGUMENTS}; what it prints is dropped. */
    public Process start(String... arguments) throws IOException {
        return builder(arguments)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Starts {@code prpf ARGUMENTS}; the caller reads its output. */
    public Process startReadable(String... arguments) throws IOException {
        return builder(arguments).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** Begins another main class of the same class path, with its output appended to these files. */
    Process start(Class<?> main, Path stdout, Path stderr, String... arguments) throws IOException {
        return builder(main, arguments)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(stdout.toFile()))
                .redirectError(ProcessBuilder.Redirect.appendTo(stderr.toFile()))
                .start();
    }

    private ProcessBuilder builder(String... arguments) {
        return builder(Main.class, arguments);
    }

    private ProcessBuilder builder(Class<?> main, String... arguments) {
        ProcessBuilder builder = new ProcessBuilder(commandLine(main, arguments)).directory(directory.toFile());
        builder.environment().putAll(Map.of("OMP_NUM_THREADS", "1", "OMP_WAIT_POLICY", "passive", "LC_ALL", "C.UTF-8"));
        builder.environment().putAll(environment);
        return builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    }

    private List<String> commandLine(Class<?> main, String... arguments) {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(List.of(
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dfile.encoding=UTF-8",
                "-Djava.awt.headless=true",
                "-Dai.djl.offline=true",
                "-Dai.djl.pytorch.num_threads=1",
                "-Dorg.bytedeco.javacpp.maxphysicalbytes=4G"));
        String root = System.getProperty("prpf.root");
        if (root != null) {
            line.add("-Dprpf.root=" + root);
        }
        line.addAll(jvmOptions);
        line.addAll(
                List.of("-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))));
        line.add(main.getName());
        line.addAll(List.of(arguments));
        return line;
    }

    private static String drain(InputStream stream) {
        try (stream) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
