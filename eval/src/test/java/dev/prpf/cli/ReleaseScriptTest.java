package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code .ci/release} in a small repository of the project's build files, and checks the list of artefacts. */
@Tag("slow")
class ReleaseScriptTest {
    private static final Path ROOT = Path.of(System.getProperty("prpf.root", ".."));
    private static final List<String> MODULES = modules();
    private static final String PYTHON = "integrations/python/pyproject.toml";

    @TempDir
    Path directory;

    private static List<String> modules() {
        try (Stream<Path> files = Files.list(ROOT)) {
            return files.filter(file -> Files.exists(file.resolve("pom.xml")))
                    .map(file -> file.getFileName().toString())
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String content(Path file) throws IOException {
        return Files.readString(file);
    }

    private static String version(String pom) {
        return pom.substring(pom.indexOf("<version>") + 9, pom.indexOf("</version>"));
    }

    private String run(int status, String... command) throws IOException, InterruptedException {
        Path log = directory.resolve("log.txt");
        Process process = new ProcessBuilder(command)
                .directory(directory.resolve("project").toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(process.waitFor()).as(content(log)).isEqualTo(status);
        return content(log);
    }

    @BeforeEach
    void repository() throws IOException, InterruptedException {
        List<String> files = Stream.concat(
                        Stream.of("pom.xml", "CHANGELOG.md", "CITATION.cff", ".ci/release", PYTHON),
                        MODULES.stream().map(module -> module + "/pom.xml"))
                .toList();
        for (String file : files) {
            Path target = directory.resolve("project").resolve(file);
            Files.createDirectories(target.getParent());
            Files.copy(ROOT.resolve(file), target);
        }
        Path pom = directory.resolve("project/pom.xml");
        String current = version(content(pom));
        for (String file :
                files.stream().filter(name -> name.endsWith("pom.xml")).toList()) {
            Path target = directory.resolve("project").resolve(file);
            Files.writeString(target, content(target).replace(current, "7.8.9-SNAPSHOT"));
        }
        Files.writeString(directory.resolve("project/CHANGELOG.md"), "# Changelog\n\n## [Unreleased]\n\n- A change.\n");
        run(0, "git", "init", "-q");
        run(0, "git", "config", "user.name", "tester");
        run(0, "git", "config", "user.email", "tester@example.org");
        run(0, "git", "add", ".");
        run(0, "git", "commit", "-qm", "Begin");
    }

    @Test
    void aRelease_isTwoCommitsOfAllModules() throws IOException, InterruptedException {
        assertThat(run(0, ".ci/release", "7.8.9", "7.9.0-SNAPSHOT"))
                .contains("is 7.8.9, the commit after it 7.9.0-SNAPSHOT");
        assertThat(run(0, "git", "log", "--format=%s")).isEqualTo("Begin 7.9.0-SNAPSHOT\nRelease 7.8.9\nBegin\n");
        assertThat(run(0, "git", "status", "--porcelain")).isEmpty();
        for (String module : MODULES) {
            assertThat(version(run(0, "git", "show", "HEAD~1:" + module + "/pom.xml")))
                    .as(module)
                    .isEqualTo("7.8.9");
            assertThat(version(run(0, "git", "show", "HEAD:" + module + "/pom.xml")))
                    .as(module)
                    .isEqualTo("7.9.0-SNAPSHOT");
        }
        assertThat(run(0, "git", "show", "HEAD~1:" + PYTHON)).contains("\nversion = \"7.8.9\"\n");
        assertThat(run(0, "git", "show", "HEAD:" + PYTHON)).contains("\nversion = \"7.9.0.dev0\"\n");
        assertThat(run(0, "git", "show", "HEAD:CHANGELOG.md"))
                .matches("# Changelog\n\n## \\[Unreleased]\n\n## \\[7\\.8\\.9] - [\\d-]{10}\n\n- A change\\.\n");
        assertThat(run(0, "git", "show", "HEAD:CITATION.cff")).contains("\nversion: 7.8.9\ndate-released: 2");
        assertThat(run(0, "git", "show", "HEAD:pom.xml"))
                .containsPattern("<project.build.outputTimestamp>\\d{4}-\\d\\d-\\d\\dT00:00:00Z<");
    }

    @Test
    void aWrongRelease_isRefused() throws IOException, InterruptedException {
        assertThat(run(2, ".ci/release")).contains("VERSION '' is not of the form 1.2.3; example: .ci/release 0.1.0");
        assertThat(run(2, ".ci/release", "7.8.9", "7.9.0")).contains("NEXT '7.9.0' is not of the form 1.2.3-SNAPSHOT");
        assertThat(run(2, ".ci/release", "7.8.8", "7.9.0-SNAPSHOT"))
                .contains("pom.xml has version 7.8.9-SNAPSHOT, not 7.8.8-SNAPSHOT");
        Files.writeString(directory.resolve("project/pom.xml"), "\n", StandardOpenOption.APPEND);
        assertThat(run(2, ".ci/release", "7.8.9", "7.9.0-SNAPSHOT")).contains("the working tree has changes");
    }

    @Test
    void theBillOfMaterials_namesEveryModule() throws IOException {
        String bom = content(ROOT.resolve("bom/pom.xml"));
        for (String module : MODULES) {
            if (!module.equals("bom")) {
                String pom = content(ROOT.resolve(module).resolve("pom.xml"));
                String own = pom.substring(pom.indexOf("</parent>"));
                String artifact = own.substring(own.indexOf("<artifactId>"), own.indexOf("</artifactId>"));
                assertThat(bom).contains(artifact + "</artifactId><version>${project.version}</version>");
            }
        }
    }
}
