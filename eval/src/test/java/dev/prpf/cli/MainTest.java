package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

@Tag("slow")
class MainTest {
    @Test
    void whatCannotBeLoadedIsToldInOneLine() {
        LinkageError error = new ExceptionInInitializerError(new UnsatisfiedLinkError("libx.so:\n no such file"));
        assertThat(Main.unloadable(error)).contains("libx.so: no such file").doesNotContain("\n");
    }

    private static String standardError(Runnable work) {
        PrintStream before = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            work.run();
        } finally {
            System.setErr(before);
        }
        return said.toString(StandardCharsets.UTF_8);
    }

    @Test
    void whatATerminalWouldObeyIsEscapedInMessagesResultsAndLogs(@TempDir Path directory) throws IOException {
        Path evil = Files.writeString(directory.resolve("a\u001b[2Jb.json"), "{");
        assertThat(standardError(() -> assertThat(Main.execute("data", "stats", "--data", evil.toString()))
                        .isEqualTo(65)))
                .contains("a\\u001b[2Jb.json")
                .doesNotContain("\u001b");
        assertThat(standardError(() -> LoggerFactory.getLogger(MainTest.class).warn("id x\u001b[2Jy\tz 中文")))
                .contains("MainTest: id x?[2Jy\tz 中文")
                .doesNotContain("\u001b");
    }

    @Test
    void aRunKeepsTheFailureThatLeftIt(@TempDir Path directory) throws IOException {
        RunDescription description = new RunDescription("gate train", List.of(), "", Map.of());
        Path run = directory.resolve("run");
        RunDirectory.open(run, Resume.AUTO, description).close();
        standardError(() -> assertThat(Main.execute("data", "stats", "--data", directory + "/none.json"))
                .isEqualTo(65));
        assertThat(Files.readString(run.resolve("run.json")))
                .contains("\"state\" : \"failed\"", "none.json: cannot be read");
    }

    @Test
    void trackingIsRefusedBeforeAnythingRuns() {
        assertThat(standardError(() -> assertThat(Main.execute(
                                "eval", "score", "--gold=g", "--pool=p", "--predictions=x", "--track=tensorboard"))
                        .isEqualTo(2)))
                .contains("--out must be its folder, which holds run.json");
        assertThat(standardError(() -> assertThat(Main.execute("gate", "train", "--track", "wandb"))
                        .isEqualTo(2)))
                .contains("'wandb' is not one of mlflow, tensorboard");
    }

    @Test
    void trackingNeedsAServer(@TempDir Path directory) {
        CommandProcess.Result left = CommandProcess.in(directory)
                .withEnvironment(Map.of("MLFLOW_TRACKING_URI", ""))
                .run("gate", "train", "--config", "none.yaml", "--data", "d", "--track", "mlflow");
        assertThat(left.exitCode()).as(left.stderr()).isEqualTo(78);
        assertThat(left.stderr())
                .contains("error: tracking with mlflow needs the environment variable MLFLOW_TRACKING_URI");
    }
}
