package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that the same classes give the same jar bytes, at any time and path. The parent's build file packs a small module in two places, from
 * files of two ages. (Two whole builds were compared by hand, see TROUBLESHOOTING.)
 */
@Tag("slow")
class ReproducibleJarTest {
    private static final Path ROOT = Path.of(System.getProperty("prpf.root", ".."));

    @TempDir
    Path directory;

    @Test
    void twoPlacesAndTwoTimesGiveOneJar() throws IOException, InterruptedException {
        Path early = pack(directory.resolve("a"), Instant.parse("2020-01-01T10:00:00Z"));
        Path late = pack(directory.resolve("b/deeper"), Instant.parse("2025-06-07T08:09:10Z"));
        assertThat(late).hasSameBinaryContentAs(early);
        try (JarFile jar = new JarFile(early.toFile())) {
            assertThat(jar.stream().map(JarEntry::getTimeLocal).distinct()).hasSize(1);
            assertThat(new TreeSet<>(jar.getManifest().getMainAttributes().keySet().stream()
                            .map(String::valueOf)
                            .toList()))
                    .as("nothing in the manifest that tells a place, a person or a time")
                    .doesNotContain("Built-By", "Build-Time", "Built-On", "Build-Timestamp", "Bnd-LastModified")
                    .contains("Manifest-Version");
        }
    }

    private static Path pack(Path place, Instant age) throws IOException, InterruptedException {
        Path module = place.resolve("module");
        Path classes = Files.createDirectories(module.resolve("target/classes/dev"));
        Files.copy(ROOT.resolve("pom.xml"), place.resolve("pom.xml"), StandardCopyOption.REPLACE_EXISTING);
        Files.writeString(module.resolve("pom.xml"), child());
        for (String name : List.of("A.class", "B.class", "words.txt")) {
            Path file = Files.writeString(classes.resolve(name), "content of " + name);
            Files.setLastModifiedTime(file, FileTime.from(age));
        }
        Path log = place.resolve("log.txt");
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("maven.home"), "bin", "mvn").toString(), "-B", "jar:jar");
        builder.environment().put("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
        int status = builder.directory(module.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start()
                .waitFor();
        assertThat(status).as(Files.readString(log)).isZero();
        return module.resolve("target/small-1.jar");
    }

    private static String child() throws IOException {
        String parent = Files.readString(ROOT.resolve("pom.xml"));
        String version = parent.substring(parent.indexOf("<version>") + 9, parent.indexOf("</version>"));
        String artifact = parent.substring(parent.indexOf("<artifactId>") + 12, parent.indexOf("</artifactId>"));
        return "<project><modelVersion>4.0.0</modelVersion><parent><groupId>dev.prpf</groupId><artifactId>" + artifact
                + "</artifactId><version>" + version + "</version></parent>"
                + "<artifactId>small</artifactId><version>1</version></project>";
    }
}
