package dev.prpf.cli.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.UsageException;
import dev.prpf.eval.command.EvalCommand;
import dev.prpf.mpp.command.MppCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class SweepPlanTest {
    private static final CommandLine COMMANDS = new CommandLine(new Commands());

    @Command(
            name = "prpf",
            subcommands = {EvalCommand.class, MppCommand.class})
    private static final class Commands {}

    @TempDir
    Path directory;

    private SweepPlan plan(List<String> axes, String command) {
        return SweepPlan.of(axes, List.of(command.split(" ")), directory, COMMANDS);
    }

    @Test
    void membersAreTheProductOfTheAxesAndTheLastVariesFastest() {
        SweepPlan plan = plan(List.of("--top-k=1,5", "training.seed=42..43"), "./prpf par sft --config c.yaml");
        assertThat(plan.members())
                .extracting(SweepMember::name)
                .containsExactly(
                        "top-k=1,training.seed=42",
                        "top-k=1,training.seed=43",
                        "top-k=5,training.seed=42",
                        "top-k=5,training.seed=43");
        SweepMember third = plan.members().get(2);
        assertThat(third.values()).isEqualTo(Map.of("--top-k", "5", "training.seed", "42"));
        assertThat(third.runDirectory()).isEqualTo(directory.resolve("members/top-k=5,training.seed=42"));
        assertThat(third.steps())
                .containsExactly(List.of(
                        "par",
                        "sft",
                        "--config",
                        "c.yaml",
                        "--top-k=5",
                        "--set",
                        "training.seed=42",
                        "--run-dir",
                        third.runDirectory().toString()));
        assertThat(third.command()).containsExactly("sweep", "member", directory.toString(), "2");
        assertThat(third.index()).isEqualTo(2);
    }

    @Test
    void placeholdersStandForValuesAndFoldersInAnyOfSeveralCommands() {
        SweepPlan plan = plan(
                List.of("--min-recall=80,90", "seed=1"),
                "mpp train --run-dir {self} --store {run}/store -- mpp sweep --run {self} --min-recall {--min-recall}");
        assertThat(plan.members().get(1).steps())
                .containsExactly(
                        List.of(
                                "mpp",
                                "train",
                                "--run-dir",
                                directory + "/members/min-recall=90,seed=1",
                                "--store",
                                directory + "/store",
                                "--set",
                                "seed=1"),
                        List.of(
                                "mpp",
                                "sweep",
                                "--run",
                                directory + "/members/min-recall=90,seed=1",
                                "--min-recall",
                                "90"));
    }

    @Test
    void namesAreFoldersHoweverLongOrAlikeTheValuesAre() {
        assertThat(plan(List.of("data=a/b,a_b"), "mpp train").members())
                .extracting(SweepMember::name)
                .containsExactly("member-0", "member-1");
        assertThat(plan(List.of("data=x/y z"), "mpp train").members())
                .extracting(SweepMember::name)
                .containsExactly("data=x_y_z");
        assertThat(plan(List.of("data=" + "x".repeat(200)), "mpp train").members())
                .extracting(SweepMember::name)
                .containsExactly("member-0");
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        assertThatThrownBy(() -> plan(List.of(), "mpp train"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("a sweep needs --sweep KEY=VALUES");
        assertThatThrownBy(() -> SweepPlan.of(List.of("seed=1"), List.of(), directory, COMMANDS))
                .hasMessageContaining("a sweep needs a command after --");
        assertThatThrownBy(() -> plan(List.of("seed=1"), "mpp train --"))
                .hasMessageContaining("a sweep needs a command");
        assertThatThrownBy(() -> plan(List.of("seed=1", "seed=2"), "mpp train"))
                .hasMessageContaining("--sweep seed is a duplicate");
        assertThatThrownBy(() -> plan(List.of("a=1..1000", "b=1..1000"), "mpp train"))
                .hasMessageContaining("more than 10000 members");
        assertThatThrownBy(() -> plan(List.of("--top-k=1"), "eval run --top-k 5 --out {self}/p"))
                .hasMessageContaining("the command sets --top-k itself");
        assertThatThrownBy(() -> plan(List.of("seed=1"), "mpp train --set seed=5"))
                .hasMessageContaining("the command sets seed itself");
        assertThatThrownBy(() -> plan(List.of("seed=1"), "mpp train --run-dir runs/one"))
                .hasMessageContaining("one --run-dir for all members");
        assertThatThrownBy(() -> plan(List.of("seed=1"), "mpp train --run-dir {self} --data {sed}"))
                .hasMessage("\"{sed}\": {sed} is not defined (did you mean \"seed\"?)");
    }

    @Test
    void aPlanIsReadBackAndAnotherOneInItsPlaceIsRefusedByName() {
        SweepPlan plan = plan(List.of("seed=1..2"), "mpp train -- mpp sweep --run {self}");
        plan.write();
        plan.write();
        assertThat(SweepPlan.read(directory)).isEqualTo(plan);
        SweepPlan wider = plan(List.of("seed=1..3"), "mpp train -- mpp sweep --run {self}");
        assertThatThrownBy(wider::write)
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessage(directory + ": holds a sweep whose axes were seed=1,2 and now are seed=1,2,3; name another"
                        + " --run-dir");
        SweepPlan other = plan(List.of("seed=1..2"), "mpp train");
        assertThatThrownBy(other::write)
                .hasMessageContaining("holds a sweep whose command was [[mpp, train], [mpp, sweep, --run, {self}]] and"
                        + " now is [[mpp, train]]");
    }

    @Test
    void aFolderWithoutAPlanAndAFileThatIsNoneAreRefused() throws IOException {
        assertThatThrownBy(() -> SweepPlan.read(directory))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("sweep.json: does not exist; name the folder of a sweep");
        Files.writeString(directory.resolve("sweep.json"), "{\"axes\": []}");
        assertThatThrownBy(() -> SweepPlan.read(directory))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining("sweep.json: is no plan of a sweep");
    }
}
