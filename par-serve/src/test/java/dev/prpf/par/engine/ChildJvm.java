package dev.prpf.par.engine;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a class's {@code main} in another JVM, which returns freed memory to the system, so that resident memory can be measured. */
public final class ChildJvm {
    /** Options for work that needs no special heap. */
    public static final List<String> SMALL_HEAP = List.of("-Xmx512m", "-XX:+UseSerialGC");

    private static final Map<String, String> ENVIRONMENT =
            Map.of("MALLOC_MMAP_THRESHOLD_", "65536", "MALLOC_ARENA_MAX", "1", "OMP_NUM_THREADS", "1");

    private ChildJvm() {}

    /** Runs a class with the class path of this JVM and returns what it printed. */
    public static String run(List<String> options, Class<?> main, String... arguments) throws IOException {
        return run(System.getProperty("java.class.path"), options, main, arguments);
    }

    static String run(String classPath, List<String> options, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:TieredStopAtLevel=1");
        command.addAll(options);
        command.addAll(List.of("-Dai.djl.pytorch.num_threads=1", "-cp", classPath, main.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(ENVIRONMENT);
        Process process = builder.start();
        try (InputStream out = process.getInputStream()) {
            String printed = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(5, TimeUnit.MINUTES) || process.exitValue() != 0) {
                throw new AssertionError(main + " failed:\n" + printed);
            }
            return printed;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            process.destroyForcibly();
        }
    }
}
