package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher script in a built project of its own, with a stand-in for {@code java} that tells how it was called. */
class LauncherTest {
    private static final Path LAUNCHER =
            Path.of(System.getProperty("prpf.root", "..")).resolve("prpf");
    private static final String JAVA =
            """
            #!/usr/bin/env bash
            if [ "$1" = -XshowSettings:properties ]; then
              echo '    java.specification.version = 17' >&2
              exit 0
            fi
            echo "locale ${LC_ALL:-}"
            printf '%s\n' "$@"
            """;

    @TempDir
    Path directory;

    private Path root;

    @BeforeEach
    void aBuiltProject() throws IOException {
        root = directory.resolve("a project");
        Files.createDirectories(root.resolve("eval/src/main"));
        Files.createDirectories(root.resolve("eval/target"));
        Files.writeString(root.resolve("pom.xml"), "");
        Files.writeString(root.resolve("eval/pom.xml"), "");
        executable(root.resolve("prpf"), Files.readString(LAUNCHER));
        executable(directory.resolve("jdk/bin/java"), JAVA);
        Files.writeString(root.resolve("eval/target/classpath.txt"), "library.jar");
        Files.writeString(root.resolve("eval/target/launcher.cpu"), "");
    }

    private static void executable(Path file, String text) throws IOException {
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private List<String> launched(Path launcher, Map<String, String> locale, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(launcher.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().keySet().removeIf(name -> name.startsWith("LC_") || name.equals("LANG"));
        builder.environment().putAll(locale);
        builder.environment().put("JAVA_HOME", directory.resolve("jdk").toString());
        Process process = builder.start();
        List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(process.waitFor()).isZero();
        return lines;
    }

    @Test
    void aLocaleWithoutChineseCharactersIsReplaced() throws IOException, InterruptedException {
        for (Map<String, String> locale : List.of(
                Map.<String, String>of(),
                Map.of("LC_ALL", "C"),
                Map.of("LANG", "POSIX"),
                Map.of("LANG", "no_WHERE.UTF-8"))) {
            assertThat(launched(root.resolve("prpf"), locale, "data"))
                    .as("%s", locale)
                    .contains("locale C.UTF-8");
        }
        assertThat(launched(root.resolve("prpf"), Map.of("LANG", "C.UTF-8"), "data"))
                .contains("locale ");
    }

    @Test
    void argumentsAndFoldersWithBlanksArriveWhole() throws IOException, InterruptedException {
        List<String> lines = launched(root.resolve("prpf"), Map.of(), "data", "stats", "--data", "my data.json", "");
        assertThat(lines).contains("-Dprpf.root=" + root, root + "/eval/target/classes:library.jar");
        assertThat(lines.subList(lines.indexOf("dev.prpf.cli.Main") + 1, lines.size()))
                .containsExactly("data", "stats", "--data", "my data.json", "");
    }

    @Test
    void aLinkToTheLauncherFindsTheProject() throws IOException, InterruptedException {
        Path link = Files.createDirectories(directory.resolve("bin")).resolve("prpf");
        Files.createSymbolicLink(link, root.resolve("prpf"));
        assertThat(launched(link, Map.of(), "--version")).contains("-Dprpf.root=" + root);
    }
}
