package dev.prpf.base.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicFilesTest {
    @TempDir
    private Path folder;

    /** Starts a file, reports it, and commits it when standard input ends. */
    static final class Writer {
        public static void main(String[] arguments) throws IOException {
            try (PendingFile file = PendingFile.create(Path.of(arguments[0]))) {
                file.stream().write("of the other process".getBytes(StandardCharsets.UTF_8));
                System.out.println("begun");
                System.in.read();
                file.commit();
            }
        }
    }

    private static Process writer(Path file) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Writer.class.getName(),
                        file.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertThat(new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
                        .readLine())
                .isEqualTo("begun");
        return process;
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void severalWritersOfOneFileAllSucceedAndItIsOneOfTheirs() throws Exception {
        Path file = folder.resolve("new/f.txt");
        ExecutorService writers = Executors.newFixedThreadPool(4);
        List<Future<?>> done = new ArrayList<>();
        for (int writer = 0; writer < 4; writer++) {
            String text = String.valueOf(writer).repeat(100_000);
            done.add(writers.submit(() -> {
                for (int i = 0; i < 40; i++) {
                    AtomicFiles.writeText(file, text);
                }
            }));
        }
        for (Future<?> one : done) {
            one.get();
        }
        writers.shutdown();
        String text = Files.readString(file);
        assertThat(text).isEqualTo(text.substring(0, 1).repeat(100_000));
        assertThat(file.getParent()).isDirectoryNotContaining("glob:**.partial");
    }

    @Test
    void whatADeadProcessLeftIsRemovedAndWhatALivingOneWritesIsNot() throws Exception {
        Process dead = writer(folder.resolve("f.txt"));
        dead.destroyForcibly().waitFor();
        assertThat(names()).hasSize(1);
        Process living = writer(folder.resolve("g.txt"));
        assertThat(names()).as("swept by the second process").hasSize(1);
        AtomicFiles.writeText(folder.resolve("g.txt"), "mine");
        assertThat(names()).hasSize(2).contains("g.txt");
        living.getOutputStream().close();
        assertThat(living.waitFor()).isZero();
        assertThat(names()).containsExactly("g.txt");
        assertThat(folder.resolve("g.txt")).hasContent("of the other process");
    }

    @Test
    void aDeviceIsWrittenAndNotReplaced() {
        AtomicFiles.writeText(Path.of("/dev/null"), "nobody reads this");
        assertThat(Files.isRegularFile(Path.of("/dev/null"))).isFalse();
        assertThat(Path.of("/dev/null")).exists();
        AtomicFiles.requireWritable(Path.of("/dev/null"));
        assertThatThrownBy(() -> AtomicFiles.writeText(Path.of("/dev/full"), "x"))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("cannot write /dev/full: No space left on device");
    }

    @Test
    void aFifoIsWrittenAndNotReplaced() throws Exception {
        Path fifo = folder.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor())
                .isZero();
        Process reader = new ProcessBuilder("cat", fifo.toString()).start();
        AtomicFiles.writeText(fifo, "through");
        assertThat(new String(reader.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("through");
        assertThat(Files.isRegularFile(fifo)).isFalse();
        assertThat(names()).containsExactly("fifo");
    }

    @Test
    void aLinkStaysAndItsFileIsReplaced() throws IOException {
        Path file = Files.writeString(folder.resolve("f.txt"), "old");
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("f.txt"));
        AtomicFiles.writeText(link, "new");
        assertThat(link).isSymbolicLink();
        assertThat(file).hasContent("new");
        Path dangling = Files.createSymbolicLink(folder.resolve("dangling"), Path.of("g.txt"));
        AtomicFiles.writeText(dangling, "g");
        assertThat(dangling).isSymbolicLink();
        assertThat(folder.resolve("g.txt")).hasContent("g");
    }

    @Test
    void aFolderIsNoPlaceForAFile() throws IOException {
        Files.createDirectory(folder.resolve("d"));
        assertThatThrownBy(() -> AtomicFiles.writeText(folder.resolve("d"), "x"))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("cannot write " + folder.resolve("d"))
                .hasMessageContaining("is a folder, a file is needed");
        assertThat(names()).containsExactly("d");
    }

    @Test
    void aFailureLeavesTheOldFile() throws IOException {
        Path file = folder.resolve("f.txt");
        AtomicFiles.writeText(file, "old");
        assertThatThrownBy(() -> AtomicFiles.write(file, out -> {
                    out.write('n');
                    throw new IOException("No space left on device");
                }))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageContaining("cannot write " + file + ": No space left on device");
        assertThat(file).hasContent("old");
        assertThat(names()).containsExactly("f.txt");
    }
}
