package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compiles the Java programs in {@code benchmarks/}, which no module includes. */
class BenchmarksTest {
    @TempDir
    Path classes;

    @ParameterizedTest
    @ValueSource(strings = {"gate", "perceiver", "reasoner", "reward", "vision"})
    void programsCompileAgainstTheModules(String folder) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options =
                    List.of("-proc:none", "-cp", System.getProperty("java.class.path"), "-d", classes.toString());
            boolean done = compiler.getTask(
                            new PrintWriter(messages),
                            files,
                            null,
                            options,
                            null,
                            files.getJavaFileObjectsFromPaths(sources(Path.of("../benchmarks", folder))))
                    .call();
            assertThat(done).as(messages.toString()).isTrue();
        }
    }

    private static List<Path> sources(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
