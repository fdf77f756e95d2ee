package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the launcher script in a separate project, with stubs for {@code java} and {@code mvn} that print their arguments. */
@Tag("slow")
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
            [ "${@: -1}" != wait ] || read -r
            """;
    private static final String MVN =
            """
            #!/usr/bin/env bash
            echo "begin ${LC_ALL:-}" >> ../builds
            sleep 0.5
            [ ! -e ../broken ] || { echo 'JAVA_HOME is not defined correctly' >&2; exit 1; }
            mkdir -p eval/target/classes data-prep/target
            cat eval/src/main/Source > eval/target/classes/made
            cat eval/src/main/Source > data-prep/target/data-prep.jar
            printf %s "/repository/library.jar:$PWD/data-prep/target/data-prep.jar" > eval/target/classpath.txt
            printf '%b' '[INFO] \\e[1mBuilding PRPF eval 0.1 [5/5]\\e[m\\n[INFO] other\\n'
            echo end >> ../builds
            """;

    @TempDir
    Path directory;

    private Path root;

    @BeforeEach
    void aProject() throws IOException {
        root = directory.resolve("a project 中文");
        Files.createDirectories(root.resolve("eval/src/main"));
        Files.writeString(root.resolve("pom.xml"), "");
        Files.writeString(root.resolve("eval/pom.xml"), "");
        Files.writeString(root.resolve("eval/src/main/Source"), "1");
        executable(root.resolve("prpf"), Files.readString(LAUNCHER));
        executable(directory.resolve("jdk/bin/java"), JAVA);
        executable(directory.resolve("maven/mvn"), MVN);
    }

    private static void executable(Path file, String text) throws IOException {
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static String temporaryFolder(List<String> lines) {
        String option = "-Djava.io.tmpdir=";
        return lines.stream()
                .filter(line -> line.startsWith(option))
                .map(line -> line.substring(option.length()))
                .findFirst()
                .orElseThrow();
    }

    private Process start(Path launcher, Map<String, String> locale, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(launcher.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("LC_") || name.equals("LANG"));
        builder.environment().putAll(locale);
        builder.environment().put("TMPDIR", directory.toString());
        builder.environment().put("JAVA_HOME", directory.resolve("jdk").toString());
        builder.environment().merge("PATH", directory.resolve("maven").toString(), (path, maven) -> maven + ":" + path);
        return builder.start();
    }

    private static List<String> lines(InputStream stream) throws IOException {
        return new String(stream.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }

    private List<String> launched(Path launcher, Map<String, String> locale, String... arguments)
            throws IOException, InterruptedException {
        Process process = start(launcher, locale, arguments);
        List<String> lines = lines(process.getInputStream());
        assertThat(process.waitFor()).as("%s", lines(process.getErrorStream())).isZero();
        return lines;
    }

    private List<String> launched(String... arguments) throws IOException, InterruptedException {
        return launched(root.resolve("prpf"), Map.of("LANG", "C.UTF-8"), arguments);
    }

    /** The folders of builds. */
    private List<Path> builds() throws IOException {
        try (Stream<Path> files = Files.list(root.resolve(".prpf"))) {
            return files.filter(Files::isDirectory).sorted().toList();
        }
    }

    private static String classPath(List<String> lines) {
        return lines.get(lines.indexOf("-cp") + 1);
    }

    @Test
    void aLocaleWithoutChineseCharactersIsReplacedBeforeTheBuildToo() throws IOException, InterruptedException {
        for (Map<String, String> locale : List.of(
                Map.<String, String>of(),
                Map.of("LC_ALL", "C"),
                Map.of("LANG", "POSIX"),
                Map.of("LANG", "no_WHERE.UTF-8"))) {
            Files.writeString(root.resolve("eval/src/main/Source"), locale.toString());
            assertThat(launched(root.resolve("prpf"), locale, "data"))
                    .as("%s", locale)
                    .contains("locale C.UTF-8", "-Dprpf.root=" + root);
        }
        assertThat(directory.resolve("builds")).content().isEqualTo("begin C.UTF-8\nend\n".repeat(4));
        assertThat(launched("data")).contains("locale ");
    }

    @Test
    void argumentsAndFoldersWithBlanksArriveWhole() throws IOException, InterruptedException {
        List<String> lines = launched("data", "stats", "--data", "my data.json", "");
        assertThat(lines).contains("-Dprpf.root=" + root);
        assertThat(lines.subList(lines.indexOf("dev.prpf.cli.Main") + 1, lines.size()))
                .containsExactly("data", "stats", "--data", "my data.json", "");
    }

    @Test
    void aLinkToTheLauncherFindsTheProject() throws IOException, InterruptedException {
        Path link = Files.createDirectories(directory.resolve("bin")).resolve("prpf");
        Files.createSymbolicLink(link, root.resolve("prpf"));
        assertThat(launched(link, Map.of(), "--version")).contains("-Dprpf.root=" + root);
    }

    @Test
    void theClassPathNamesCopiesThatNoOtherBuildTouches() throws IOException, InterruptedException {
        String[] path = classPath(launched()).split(":");
        Path build = builds().get(0);
        assertThat(path).containsExactly(build + "/classes", "/repository/library.jar", build + "/data-prep.jar");
        Files.writeString(root.resolve("eval/src/main/Source"), "2");
        assertThat(build.resolve("classes/made")).hasContent("1");
        assertThat(Path.of(classPath(launched()).split(":", -1)[2])).hasContent("2");
    }

    @Test
    void aMovedProject_movesItsBuilds() throws IOException, InterruptedException {
        launched();
        Path moved = Files.move(root, directory.resolve("moved & @"));
        List<String> lines = launched(moved.resolve("prpf"), Map.of("LANG", "C.UTF-8"));
        assertThat(classPath(lines)).contains(moved + "/.prpf/cpu-").doesNotContain(root.toString());
        assertThat(directory.resolve("builds")).content().isEqualTo("begin \nend\n");
    }

    @Test
    void aBuild_showsItsModulesWithoutEscapeCodes() throws IOException, InterruptedException {
        Process process = start(root.resolve("prpf"), Map.of("LANG", "C.UTF-8"), "data");
        List<String> said = lines(process.getErrorStream());
        assertThat(process.waitFor()).isZero();
        assertThat(said).containsExactly("prpf: building (profile cpu)", "prpf: building PRPF eval 0.1 [5/5]");
    }

    @Test
    void onlyConfigurationsWithDefaults_causeABuild() throws IOException, InterruptedException {
        Path launch = Files.createDirectories(root.resolve("configs/launch"));
        Path gate = Files.writeString(root.resolve("configs/gate.yaml"), "seed: 1");
        launched();
        Files.writeString(launch.resolve("slurm.sh"), "srun");
        Files.createDirectories(root.resolve("configs/quickstart"));
        Files.writeString(root.resolve("configs/quickstart/gate.yaml"), "seed: 1");
        launched();
        assertThat(directory.resolve("builds")).content().isEqualTo("begin \nend\n");
        for (Path file : List.of(gate, launch.resolve("job.yaml"))) {
            Files.writeString(file, "seed: 2");
            launched();
        }
        assertThat(directory.resolve("builds")).content().isEqualTo("begin \nend\n".repeat(3));
    }

    @Test
    void startsAtOnceBuildOnce() throws IOException, InterruptedException {
        List<Process> starts = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            starts.add(start(root.resolve("prpf"), Map.of(), "data"));
        }
        for (Process one : starts) {
            assertThat(lines(one.getInputStream())).contains("data");
            assertThat(one.waitFor()).isZero();
        }
        assertThat(directory.resolve("builds")).content().isEqualTo("begin C.UTF-8\nend\n");
        launched("data");
        assertThat(directory.resolve("builds")).content().isEqualTo("begin C.UTF-8\nend\n");
    }

    @Test
    void aBuildStaysWhileAProcessRunsFromItAndGoesAfterwards() throws IOException, InterruptedException {
        Process running = start(root.resolve("prpf"), Map.of(), "wait");
        BufferedReader said =
                new BufferedReader(new InputStreamReader(running.getInputStream(), StandardCharsets.UTF_8));
        for (String line = said.readLine(); !"wait".equals(line); line = said.readLine()) {
            assertThat(line).isNotNull();
        }
        Path first = builds().get(0);
        Files.writeString(root.resolve("eval/src/main/Source"), "2");
        launched("data");
        assertThat(builds()).hasSize(2).contains(first);
        assertThat(first.resolve("classes/made")).hasContent("1");
        running.getOutputStream().close();
        running.waitFor();
        Files.writeString(root.resolve("eval/src/main/Source"), "3");
        launched("data");
        assertThat(builds()).hasSize(1).doesNotContain(first);
    }

    @Test
    void temporaryFiles_ofAnEndedProcess_areRemovedByTheNextStart() throws IOException, InterruptedException {
        launched("data"); // builds
        Process running = start(root.resolve("prpf"), Map.of("LANG", "C.UTF-8"), "wait");
        BufferedReader said =
                new BufferedReader(new InputStreamReader(running.getInputStream(), StandardCharsets.UTF_8));
        List<String> before = new ArrayList<>();
        for (String line = said.readLine(); !"wait".equals(line); line = said.readLine()) {
            before.add(line);
        }
        Path first = Path.of(temporaryFolder(before));
        Files.writeString(first.resolve("library.so"), "code");
        Path second = Path.of(temporaryFolder(launched("data")));
        assertThat(first.resolve("library.so")).exists();
        assertThat(second).exists().isNotEqualTo(first);
        running.destroyForcibly().waitFor();
        Path third = Path.of(temporaryFolder(launched("data")));
        assertThat(first).doesNotExist();
        assertThat(second).doesNotExist();
        assertThat(third).exists().hasParent(directory);
    }

    @Test
    void aBuildOfOneProfileLeavesThoseOfOthersWhoseNamesBeginAsItsOwn() throws IOException, InterruptedException {
        launched(root.resolve("prpf"), Map.of("PRPF_PROFILE", "cuda-mpp"), "data");
        launched(root.resolve("prpf"), Map.of("PRPF_PROFILE", "cuda"), "data");
        Files.writeString(root.resolve("eval/src/main/Source"), "2");
        launched(root.resolve("prpf"), Map.of("PRPF_PROFILE", "cuda"), "data");
        assertThat(builds()).hasSize(2).anySatisfy(build -> assertThat(build.toString())
                .contains("/cuda-mpp-"));
    }

    @Test
    void aBuildThatFailsIsSaidAndTriedAgain() throws IOException, InterruptedException {
        Path broken = Files.writeString(directory.resolve("broken"), "");
        Process process = start(root.resolve("prpf"), Map.of(), "data");
        Path log = root.resolve(".prpf/build.log");
        assertThat(lines(process.getErrorStream()))
                .endsWith("JAVA_HOME is not defined correctly", "error: the build failed; the whole log is " + log);
        assertThat(log).hasContent("JAVA_HOME is not defined correctly");
        assertThat(process.waitFor()).isEqualTo(1);
        assertThat(builds()).isEmpty();
        Files.delete(broken);
        assertThat(launched("data")).contains("data");
    }
}
