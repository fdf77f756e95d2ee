package dev.prpf.cli.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.cli.sweep.SweepPlan.SweepMember;
import dev.prpf.eval.command.EvalCommand;
import dev.prpf.mpp.command.GateCommand;
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
            subcommands = {EvalCommand.class, GateCommand.class})
    private static final class Commands {}

    @TempDir
    Path directory;

    private SweepPlan plan(List<String> axes, String command) {
        return SweepPlan.of(axes, List.of(command.split(" ")), directory, COMMANDS);
    }

    @Test
    void membersAreTheProductOfTheAxesAndTheLastVariesFastest() {
        SweepPlan plan =
                plan(List.of("--shortlist=1,5", "training.seed=42..43"), "./prpf reasoner sft --config c.yaml");
        assertThat(plan.members())
                .extracting(SweepMember::name)
                .containsExactly(
                        "shortlist=1,training.seed=42",
                        "shortlist=1,training.seed=43",
                        "shortlist=5,training.seed=42",
                        "shortlist=5,training.seed=43");
        SweepMember third = plan.members().get(2);
        assertThat(third.values()).isEqualTo(Map.of("--shortlist", "5", "training.seed", "42"));
        assertThat(third.runDirectory()).isEqualTo(directory.resolve("members/shortlist=5,training.seed=42"));
        assertThat(third.steps())
                .containsExactly(List.of(
                        "reasoner",
                        "sft",
                        "--config",
                        "c.yaml",
                        "--shortlist=5",
                        "--set",
                        "training.seed=42",
                        "--run-dir",
                        third.runDirectory().toString()));
        assertThat(third.command()).containsExactly("grid", "member", directory.toString(), "2");
        assertThat(third.index()).isEqualTo(2);
    }

    @Test
    void placeholdersStandForValuesAndFoldersInAnyOfSeveralCommands() {
        SweepPlan plan = plan(
                List.of("--min-recall=80,90", "seed=1"),
                "gate train --run-dir {self} --store {run}/store -- gate sweep --gate {self} --min-recall {--min-recall}");
        assertThat(plan.members().get(1).steps())
                .containsExactly(
                        List.of(
                                "gate",
                                "train",
                                "--run-dir",
                                directory + "/members/min-recall=90,seed=1",
                                "--store",
                                directory + "/store",
                                "--set",
                                "seed=1"),
                        List.of(
                                "gate",
                                "sweep",
                                "--gate",
                                directory + "/members/min-recall=90,seed=1",
                                "--min-recall",
                                "90"));
    }

    @Test
    void namesAreFoldersHoweverLongOrAlikeTheValuesAre() {
        assertThat(plan(List.of("data=a/b,a_b"), "gate train").members())
                .extracting(SweepMember::name)
                .containsExactly("member-0", "member-1");
        assertThat(plan(List.of("data=x/y z"), "gate train").members())
                .extracting(SweepMember::name)
                .containsExactly("data=x_y_z");
        assertThat(plan(List.of("data=" + "x".repeat(200)), "gate train").members())
                .extracting(SweepMember::name)
                .containsExactly("member-0");
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        assertThatThrownBy(() -> plan(List.of(), "gate train"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("a sweep needs --sweep KEY=VALUES");
        assertThatThrownBy(() -> SweepPlan.of(List.of("seed=1"), List.of(), directory, COMMANDS))
                .hasMessageContaining("a sweep needs a command after --");
        assertThatThrownBy(() -> plan(List.of("seed=1"), "gate train --"))
                .hasMessageContaining("a sweep needs a command");
        assertThatThrownBy(() -> plan(List.of("seed=1", "seed=2"), "gate train"))
                .hasMessageContaining("--sweep seed is a duplicate");
        assertThatThrownBy(() -> plan(List.of("a=1..1000", "b=1..1000"), "gate train"))
                .hasMessageContaining("more than 10000 members");
        assertThatThrownBy(() -> plan(List.of("--shortlist=1"), "eval run --shortlist 5 --out {self}/p"))
                .hasMessageContaining("the command sets --shortlist itself");
        assertThatThrownBy(() -> plan(List.of("seed=1"), "gate train --set seed=5"))
                .hasMessageContaining("the command sets seed itself");
        assertThatThrownBy(() -> plan(List.of("seed=1"), "gate train --run-dir runs/one"))
                .hasMessageContaining("one --run-dir for all members");
        assertThatThrownBy(() -> plan(List.of("seed=1"), "gate train --run-dir {self} --data {sed}"))
                .hasMessage("\"{sed}\": {sed} is not defined (did you mean \"seed\"?)");
    }

    @Test
    void aPlanIsReadBackAndAnotherOneInItsPlaceIsRefusedByName() {
        SweepPlan plan = plan(List.of("seed=1..2"), "gate train -- gate sweep --gate {self}");
        plan.write();
        plan.write();
        assertThat(SweepPlan.read(directory)).isEqualTo(plan);
        SweepPlan wider = plan(List.of("seed=1..3"), "gate train -- gate sweep --gate {self}");
        assertThatThrownBy(wider::write)
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessage(directory + ": holds a sweep whose axes were seed=1,2 and now are seed=1,2,3; name another"
                        + " --run-dir");
        SweepPlan other = plan(List.of("seed=1..2"), "gate train");
        assertThatThrownBy(other::write)
                .hasMessageContaining(
                        "holds a sweep whose command was [[gate, train], [gate, sweep, --gate, {self}]] and"
                                + " now is [[gate, train]]");
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
