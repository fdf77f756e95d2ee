package dev.prpf.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.files.IoFailure;
import dev.prpf.cli.launch.NotedScheduler.LogTail;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogTailTest {
    @TempDir
    Path directory;

    private void append(byte[] bytes) throws IOException {
        Files.write(directory.resolve("log"), bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private static List<String> fresh(LogTail tail) {
        List<String> lines = new ArrayList<>();
        tail.fresh(lines::add);
        return lines;
    }

    @Test
    void linesComeOnceTheyAreWholeAndOnce() throws IOException {
        LogTail tail = new LogTail(directory.resolve("log"));
        assertThat(fresh(tail)).as("not there yet").isEmpty();
        append("one\n\ntw".getBytes(StandardCharsets.UTF_8));
        assertThat(fresh(tail)).containsExactly("one", "");
        assertThat(fresh(tail)).isEmpty();
        append("o\n".getBytes(StandardCharsets.UTF_8));
        assertThat(fresh(tail)).containsExactly("two");
    }

    /** A writer's buffer ends where it likes. */
    @Test
    void aCharacterMayComeInTwoParts() throws IOException {
        LogTail tail = new LogTail(directory.resolve("log"));
        byte[] line = "第一步\n".getBytes(StandardCharsets.UTF_8);
        append(Arrays.copyOf(line, 4));
        assertThat(fresh(tail)).isEmpty();
        append(Arrays.copyOfRange(line, 4, line.length));
        assertThat(fresh(tail)).containsExactly("第一步");
    }

    /** A log of days is not held in memory. */
    @Test
    void linesAreHandedOverBeforeTheNextOnesAreRead() throws IOException {
        Path log = directory.resolve("log");
        append("x".repeat(999).concat("\n").repeat(1000).getBytes(StandardCharsets.UTF_8));
        List<String> lines = new ArrayList<>();
        new LogTail(log).fresh(line -> {
            lines.add(line);
            IoFailure.whileWriting(log, () -> Files.write(log, new byte[0])); // what was not read yet is gone
        });
        assertThat(lines).isNotEmpty().hasSizeLessThan(100);
    }

    @Test
    void anEndlessLineComesInPiecesOfWholeCharacters() throws IOException {
        String line = "字".repeat(LogTail.LONGEST_LINE);
        append(line.getBytes(StandardCharsets.UTF_8));
        List<String> pieces = fresh(new LogTail(directory.resolve("log")));
        assertThat(pieces).hasSizeGreaterThan(1).allMatch(piece -> piece.length() <= LogTail.LONGEST_LINE);
        assertThat(line).startsWith(String.join("", pieces));
    }
}
