package dev.prpf.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that depends on {@code prpf-api} gets few bytes, and nothing of servers, training and the command line. */
class ClassPathTest {
    private static final long MEGABYTE = 1_000_000;
    private static final List<String> ABSENT = List.of(
            "jetty",
            "javalin",
            "mlflow",
            "sqlite",
            "duckdb",
            "picocli",
            "captcha",
            "font",
            "synth",
            "nd4j",
            "deeplearning4j");

    @TempDir
    private Path folder;

    private static List<Path> entries(Predicate<String> chosen) throws IOException {
        return Stream.of(Files.readString(Path.of("target/classpath.txt")).split(File.pathSeparator))
                .filter(chosen)
                .map(Path::of)
                .toList();
    }

    private static boolean ofReasoner(String entry) {
        return entry.contains("pytorch");
    }

    private static boolean ofOtherEncoder(String entry) {
        return entry.contains("bge-small-zh");
    }

    private static long megabytes(List<Path> entries) throws IOException {
        long bytes = 0;
        for (Path entry : entries) {
            try (Stream<Path> files = Files.walk(entry)) {
                bytes += files.filter(Files::isRegularFile)
                        .mapToLong(file -> file.toFile().length())
                        .sum();
            }
        }
        return bytes / MEGABYTE;
    }

    @Test
    void theGateAndTheReasonerAreSmall() throws IOException {
        Predicate<String> oneEncoder = entry -> !ofOtherEncoder(entry);
        assertThat(megabytes(entries(oneEncoder.and(entry -> !ofReasoner(entry)))))
                .as("a gate with one int8 text encoder")
                .isBetween(100L, 210L);
        assertThat(megabytes(entries(oneEncoder)))
                .as("gate and reasoner with one int8 text encoder")
                .isBetween(200L, 320L);
        assertThat(megabytes(entries(entry -> true))).as("as it is resolved").isBetween(200L, 320L);
    }

    @Test
    void nothingOfServersTrainingAndCommandsIsThere() throws IOException {
        assertThat(entries(entry -> true))
                .map(entry -> String.valueOf(entry.getFileName()))
                .noneMatch(name -> ABSENT.stream().anyMatch(name::contains))
                .filteredOn(name -> name.contains("linux-"))
                .allMatch(name -> name.contains("linux-x86_64"));
    }

    @Test
    void noJarHasTheGeneratorOfSyntheticData() throws IOException {
        for (Path jar : entries(entry -> entry.endsWith(".jar"))) {
            try (ZipFile file = new ZipFile(jar.toFile())) {
                assertThat(file.stream().map(ZipEntry::getName))
                        .as(jar.toString())
                        .noneMatch(name -> name.startsWith("dev/prpf/data/synth/"));
            }
        }
    }

    @Test
    void theGateWorksWithoutTheReasonersNatives() throws IOException, InterruptedException {
        assertThat(lines(entry -> !entry.contains("pytorch-native") && !entry.contains("pytorch-jni")))
                .contains("perceived true")
                .anySatisfy(line ->
                        assertThat(line).startsWith("UnavailableException: ").contains("libtorch"));
    }

    private List<String> lines(Predicate<String> chosen) throws IOException, InterruptedException {
        List<String> path = new ArrayList<>(List.of("target/classes", "target/test-classes"));
        entries(chosen).forEach(entry -> path.add(entry.toString()));
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-XX:TieredStopAtLevel=1",
                        "-Dai.djl.offline=true",
                        "-cp",
                        String.join(File.pathSeparator, path),
                        Program.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        List<String> lines = Files.readAllLines(output, StandardCharsets.UTF_8);
        assertThat(process.exitValue()).as(String.join("\n", lines)).isZero();
        return lines;
    }

    /** A program on the class path under test. */
    static final class Program {
        public static void main(String[] arguments) {
            try (PrpfCascade cascade = PrpfCascade.load(TinyCascade.FOLDER)) {
                System.out.println(
                        "perceived " + cascade.perceive(TinyCascade.DENTIST).triggers());
                Recommendation answer = cascade.recommend(TinyCascade.DENTIST);
                System.out.println("recommended " + answer.getClass().getSimpleName());
            } catch (PrpfException e) {
                System.out.println(e.getClass().getSimpleName() + ": " + e.getMessage());
            }
        }
    }
}
