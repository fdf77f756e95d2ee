package dev.prpf.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.StopSignal;
import dev.prpf.cli.quickstart.QuickstartPlan.Stage;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class StageRunnerTest {
    @TempDir
    Path directory;

    @Command(name = "stopped")
    private static final class Stopped implements Callable<Integer> {
        @Override
        public Integer call() {
            throw StopSignal.checkpointed(7, "q/mpp");
        }
    }

    /** The stage's own command is not what was typed, and the default run directory carries the time. */
    @Test
    void aStageThatWasStoppedNamesTheCommandThatGoesOn() {
        StageRunner runner = new StageRunner(() -> new CommandLine(new Stopped()), directory.resolve("stages.json"));
        Stage stage = new Stage("mpp", "train", List.of(List.of()));

        assertThatThrownBy(() -> runner.run(stage, 1, 1))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.CHECKPOINTED))
                .hasMessageContaining("step 7")
                .hasMessageContaining("goes on with: ./prpf quickstart --run-dir " + directory);
        assertThat(runner.seconds()).isEmpty();
    }
}
