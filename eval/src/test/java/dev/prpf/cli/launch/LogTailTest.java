package dev.prpf.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogTailTest {
    @TempDir
    Path directory;

    private void append(byte[] bytes) throws IOException {
        Files.write(directory.resolve("log"), bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    @Test
    void linesComeOnceTheyAreWholeAndOnce() throws IOException {
        LogTail tail = new LogTail(directory.resolve("log"));
        assertThat(tail.fresh()).as("not there yet").isEmpty();
        append("one\n\ntw".getBytes(StandardCharsets.UTF_8));
        assertThat(tail.fresh()).containsExactly("one", "");
        assertThat(tail.fresh()).isEmpty();
        append("o\n".getBytes(StandardCharsets.UTF_8));
        assertThat(tail.fresh()).containsExactly("two");
    }

    /** A writer's buffer ends where it likes. */
    @Test
    void aCharacterMayComeInTwoParts() throws IOException {
        LogTail tail = new LogTail(directory.resolve("log"));
        byte[] line = "第一步\n".getBytes(StandardCharsets.UTF_8);
        append(Arrays.copyOf(line, 4));
        assertThat(tail.fresh()).isEmpty();
        append(Arrays.copyOfRange(line, 4, line.length));
        assertThat(tail.fresh()).containsExactly("第一步");
    }
}
