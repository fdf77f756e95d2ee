package dev.prpf.cli.launch;

import static dev.prpf.cli.launch.Launches.command;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LaunchPlanTest {
    @TempDir
    Path directory;

    @Test
    void aCommandThatChoosesItsRunDirectoryGoesOnInTheSameOne() {
        assertThat(LaunchPlan.of(command("./prpf", "train", "--data", "a b").parsed(), "runs/x/run")
                        .lines())
                .containsExactly("train --data 'a b' --run-dir runs/x/run");
        assertThat(LaunchPlan.of(command("train", "--data=d", "--run-dir=mine").parsed(), "runs/x")
                        .lines())
                .containsExactly("train --data=d --run-dir=mine");
        assertThat(LaunchPlan.of(command("eval", "run", "--out", "p.jsonl").parsed(), "runs/x")
                        .lines())
                .containsExactly("eval run --out p.jsonl");
    }

    @Test
    void eachShardHasAFolderAndTheyAreMergedWhereTheCommandSaid() {
        LaunchPlan plan = LaunchPlan.shards(
                command("eval", "run", "--out=runs/all/p.jsonl", "--data", "d").parsed(), 2);
        assertThat(plan.lines())
                .containsExactly(
                        "eval run --data d --out runs/all/shard-1/p.jsonl --shard 1/2",
                        "eval run --data d --out runs/all/shard-2/p.jsonl --shard 2/2");
        assertThat(plan.then())
                .isEqualTo(
                        "./prpf eval merge --out runs/all/p.jsonl runs/all/shard-1/p.jsonl runs/all/shard-2/p.jsonl");
    }

    @Test
    void onlyWholeEvalRunsAreDivided() {
        for (LaunchedCommand wrong :
                List.of(command("train", "--data", "d"), command("eval", "run", "--out", "p", "--shard", "1/2"))) {
            assertThatThrownBy(() -> LaunchPlan.shards(wrong.parsed(), 4))
                    .isInstanceOf(UsageException.class)
                    .hasMessageStartingWith("--shards 4 divides the samples of eval run without --shard");
        }
        assertThatThrownBy(() ->
                        LaunchPlan.shards(command("eval", "run", "--out", "p").parsed(), 1_001))
                .isInstanceOf(UsageException.class)
                .hasMessage("the launch has 1001 members, must be 1 to 1000");
    }

    @Test
    void aWrongCommandIsRefusedBeforeItWaitsForItsTurn() {
        assertThatThrownBy(() -> command("train"))
                .isInstanceOf(UsageException.class)
                .hasMessage("COMMAND train: Missing required option: '--data=<data>'");
        assertThatThrownBy(() -> command("eval", "run", "--out", "p", "--shrad", "1/2"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("'--shrad'");
        assertThatThrownBy(() -> command("eval"))
                .isInstanceOf(UsageException.class)
                .hasMessage("COMMAND eval: needs a subcommand, one of [run]");
        assertThatThrownBy(() -> command("./prpf"))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("launch needs a COMMAND after --");
        assertThatThrownBy(() -> command("train", "--data", "a\nb"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("has a newline, which");
        assertThatThrownBy(() ->
                        command("train", "--data", "d", "--resume", "never").requireResumable())
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("--resume never would refuse to resume");
    }

    @Test
    void aConfigurationThatIsNotHereIsToldWhileThereIsSomebodyToRead() throws IOException {
        Path config = Files.writeString(directory.resolve("c.yaml"), "a: 1\n");
        command("train", "--data", "d", "--config", config.toString()).requireConfiguration();
        assertThatThrownBy(() ->
                        command("train", "--data", "d", "--config", "no.yaml").requireConfiguration())
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessage("COMMAND: --config no.yaml: no such file; the job would exit with 78 on its node");
    }

    @Test
    void thePerceiversBuildForGpusIsForThoseThatAskForIt() throws IOException {
        String config = Files.writeString(directory.resolve("c.yaml"), "device: cuda  # the card\n")
                .toString();
        assertThat(command("gate", "train", "--config", config).perceiverOnGpu())
                .isTrue();
        assertThat(command("gate", "train", "--config", config, "--set", "device=cpu")
                        .perceiverOnGpu())
                .isFalse();
        assertThat(command("gate", "train", "--set=perceiver.device=cuda").perceiverOnGpu())
                .isTrue();
        assertThat(command("gate", "train").perceiverOnGpu()).isFalse();
        assertThat(command("train", "--data", "d", "--config", config).perceiverOnGpu())
                .isFalse();
    }
}
