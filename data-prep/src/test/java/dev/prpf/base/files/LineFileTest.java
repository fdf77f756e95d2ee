package dev.prpf.base.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LineFileTest {
    @TempDir
    private Path folder;

    /** Opens a file, reports its lines, appends and closes. */
    private static List<String> appended(Path file, String... more) {
        List<String> before = new ArrayList<>();
        try (LineFile lines = LineFile.open(file, (number, line) -> before.add(number + " " + line))) {
            for (String line : more) {
                lines.append(line);
            }
            assertThat(lines.file()).isEqualTo(file);
        }
        return before;
    }

    @Test
    void growsAndIsReadWhenItIsOpenedAgain() throws IOException {
        Path file = folder.resolve("new/l.txt");
        assertThat(appended(file, "a", "中文")).isEmpty();
        assertThat(appended(file, "c")).containsExactly("1 a", "2 中文");
        assertThat(appended(file)).containsExactly("1 a", "2 中文", "3 c");
        assertThat(Files.readString(file)).isEqualTo("a\n中文\nc\n");
    }

    @Test
    void aLastLineThatWasCutOffIsDroppedEvenInsideACharacter() throws IOException {
        Path file = folder.resolve("l.txt");
        byte[] bytes = "a\n中文".getBytes(StandardCharsets.UTF_8);
        for (int length = 2; length <= bytes.length; length++) {
            Files.write(file, Arrays.copyOf(bytes, length));
            assertThat(appended(file, "b")).as("%d bytes", length).containsExactly("1 a");
            assertThat(Files.readString(file)).isEqualTo("a\nb\n");
        }
        Files.writeString(file, "nothing whole");
        assertThat(appended(file)).isEmpty();
        assertThat(file).isEmptyFile();
    }

    @Test
    void aSecondWriterIsRefusedAndTheFirstGoesOn() throws IOException {
        Path file = folder.resolve("l.txt");
        try (LineFile first = LineFile.open(file, (number, line) -> {})) {
            first.append("a");
            first.flush();
            assertThatThrownBy(() -> appended(file, "b"))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.UNAVAILABLE))
                    .hasMessage(file + ": another process is writing this file; wait for it, or name another");
            first.append("c");
        }
        assertThat(appended(file, "d")).containsExactly("1 a", "2 c");
    }

    @Test
    void linesLongerThanABlockAreFoundWhole() throws IOException {
        Path file = folder.resolve("l.txt");
        String wide = "x".repeat(200_000);
        Files.writeString(file, "a\n" + wide + "\n" + wide);
        assertThat(appended(file, "b")).containsExactly("1 a", "2 " + wide);
        assertThat(Files.readAllLines(file)).containsExactly("a", wide, "b");
        Files.writeString(file, wide);
        assertThat(appended(file)).isEmpty();
    }

    @Test
    void whereTheReaderThrowsTheFileStaysAsItIs() throws IOException {
        Path file = Files.writeString(folder.resolve("l.txt"), "a\nb\ntorn");
        assertThatThrownBy(() -> LineFile.open(file, (number, line) -> {
                    throw new InvalidDataException(number + " is not mine");
                }))
                .hasMessage("1 is not mine");
        assertThat(Files.readString(file)).isEqualTo("a\nb\ntorn");
    }

    @Test
    void whatCannotBeReadBackIsRefused() {
        Path device = Path.of("/dev/null");
        assertThatThrownBy(() -> LineFile.open(device, (number, line) -> {}))
                .isInstanceOf(UnavailableException.class)
                .hasMessage("cannot write /dev/null: it is not a regular file, but its lines must be readable"
                        + " after a stop; name a file");
        assertThat(device).exists();
    }

    @Test
    void aPlaceThatCannotBeWrittenIsTheMachines() {
        assertThatThrownBy(() -> LineFile.open(folder, (number, line) -> {}))
                .isInstanceOfSatisfying(PrpfException.class, refused -> assertThat(ExitCode.of(refused))
                        .isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageContaining(folder.toString());
    }
}
