package dev.prpf.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExampleTest {
    @TempDir
    private Path classes;

    @Test
    void theExampleOfTheJavaApiRuns() throws Exception {
        Path source = Path.of("../examples/java/src/main/java/Assistant.java");
        int failed = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-Werror",
                        "-Xlint:all",
                        "-cp",
                        "target/classes",
                        "-d",
                        classes.toString(),
                        source.toString());
        assertThat(failed).isZero();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream before = System.out;
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
            System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
            Object arguments = new String[] {TinyCascade.FOLDER.toString()};
            loader.loadClass("Assistant").getMethod("main", String[].class).invoke(null, arguments);
        } finally {
            System.setOut(before);
        }
        assertThat(out.toString(StandardCharsets.UTF_8))
                .containsPattern("sample: (set_reminder|send_message|start_navigation) \\{")
                .contains("step: 0.", "stream: BelowThreshold");
    }
}
