package dev.prpf.base.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.CheckpointStore;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A failure of the machine is 69, a defect of the file 65, and the message has the reason. */
class IoFailureTest {
    @TempDir
    Path temp;

    @Test
    void theJdksBarePathsBecomeReasons() {
        assertThat(IoFailure.reason(new AccessDeniedException("/r/x"))).isEqualTo("/r/x: permission denied");
        assertThat(IoFailure.reason(new NoSuchFileException("/r/x"))).isEqualTo("/r/x: no such file or folder");
        assertThat(IoFailure.reason(new IOException("Stream closed"))).isEqualTo("Stream closed");
        assertThat(IoFailure.reason(new IOException())).isEqualTo("IOException");
        assertThat(IoFailure.reason(new MalformedInputException(1))).isEqualTo("it is not UTF-8 text");
    }

    @Test
    void whatCannotBeReadIsTheDatasFault() {
        PrpfException outcome = IoFailure.reading(Path.of("/r/x"), new NoSuchFileException("/r/x"));
        assertThat(ExitCode.of(outcome)).isEqualTo(ExitCode.BAD_DATA);
        assertThat(outcome)
                .hasMessage("/r/x: cannot be read: /r/x: no such file or folder; give the path of a readable file")
                .hasCauseInstanceOf(NoSuchFileException.class);
    }

    @Test
    void aFileWhereAFolderIsNeededCannotBeWrittenBelow() throws IOException {
        Path file = Files.writeString(temp.resolve("file"), "mine");
        List<Runnable> writes = List.of(
                () -> AtomicFiles.writeText(file.resolve("x.txt"), "x"),
                () -> new CheckpointStore(file, 1).save(1, directory -> {}),
                () -> RunDirectory.open(
                        file, Resume.AUTO, new RunDescription("gate train", List.of(), "", Map.of("seed", 1))));
        assertThat(writes).allSatisfy(write -> assertThatThrownBy(write::run)
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageStartingWith("cannot write " + file)
                .hasMessageMatching(".*(is a file, a folder is needed|Not a directory).*"));
        assertThat(file).hasContent("mine");
    }

    @Test
    void aFullDeviceSaysSo() {
        assertThatThrownBy(() -> {
                    try (OutputStream full = new FileOutputStream("/dev/full")) {
                        full.write(1);
                    }
                })
                .isInstanceOfSatisfying(IOException.class, e -> {
                    PrpfException outcome = IoFailure.of(new UncheckedIOException(e));
                    assertThat(ExitCode.of(outcome)).isEqualTo(ExitCode.UNAVAILABLE);
                    assertThat(outcome).hasMessageContaining("No space left on device");
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"Disk quota exceeded", "Read-only file system", "Broken pipe", "Too many open files"})
    void whatTheMachineRefusesIs69WhereverItIsMet(String reason) {
        PrpfException outcome = IoFailure.of(new UncheckedIOException("cannot read f", new IOException(reason)));
        assertThat(ExitCode.of(outcome)).isEqualTo(ExitCode.UNAVAILABLE);
        assertThat(outcome).hasMessageContaining("cannot read f: " + reason);
    }

    @Test
    void whatCannotBeReadIsBadDataWithItsReason() {
        PrpfException named =
                IoFailure.of(new UncheckedIOException("cannot read f.json", new NoSuchFileException("f.json")));
        assertThat(ExitCode.of(named)).isEqualTo(ExitCode.BAD_DATA);
        assertThat(named).hasMessage("cannot read f.json: f.json: no such file or folder");
        assertThat(IoFailure.of(new UncheckedIOException(new IOException("crc"))))
                .hasMessage("reading or writing failed: crc");
    }
}
