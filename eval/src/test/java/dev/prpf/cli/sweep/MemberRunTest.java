package dev.prpf.cli.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.RunInterruptedException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.LockFile;
import dev.prpf.base.run.StopSignal;
import dev.prpf.base.workflow.InThisProcess;
import dev.prpf.cli.sweep.MemberRun.MemberRecord;
import dev.prpf.cli.sweep.SweepPlan.SweepMember;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

class MemberRunTest {
    @TempDir
    Path directory;

    private final List<String> ran = new ArrayList<>();
    private String fails = "";
    private SweepPlan plan;
    private SweepMember member;

    /** Two commands; the second fails on request. */
    @Command(name = "prpf")
    final class Root {
        @Command(name = "fit")
        int fit(
                @Option(names = "--rate") double rate,
                @Option(names = "--run-dir") String run,
                @Mixin JsonOption output) {
            ran.add("fit " + rate);
            if (output.json) {
                ResultStream.json(Map.of("loss", rate / 2, "run", run));
            }
            return 0;
        }

        @Command(name = "judge")
        int judge() {
            ran.add("judge");
            ResultStream.line("no JSON");
            return switch (fails) {
                case "65" -> throw new InvalidDataException("line 3 is bad\nand more");
                case "75" -> throw StopSignal.checkpointed(7, "x");
                case "bug" -> throw new IllegalStateException("oh");
                default -> 0;
            };
        }
    }

    @BeforeEach
    void aPlan() {
        plan = SweepPlan.of(
                List.of("--rate=0.5,1"), List.of("fit", "--", "judge"), directory, new CommandLine(new Root()));
        member = plan.members().get(1);
    }

    private void run() {
        new MemberRun(plan, member, new InThisProcess(() -> new CommandLine(new Root()))).run();
    }

    private MemberRecord record() {
        return MemberRecord.of(member, plan.results(member));
    }

    @Test
    void everyCommandRunsWithJsonWhereItKnowsThatAndItsResultIsKept() {
        run();
        assertThat(ran).containsExactly("fit 1.0", "judge");
        MemberRecord record = record();
        assertThat(record.done()).isTrue();
        assertThat(record.values()).isEqualTo(Map.of("--rate", "1"));
        assertThat(record.steps())
                .extracting(MemberRecord.Step::command)
                .containsExactly("./prpf fit --rate=1 --run-dir " + member.runDirectory() + " --json", "./prpf judge");
        assertThat(record.steps().get(0).result().get("loss").doubleValue()).isEqualTo(0.5);
        assertThat(record.steps().get(1).result().isNull()).isTrue();
        run();
        assertThat(ran).as("done before").hasSize(2);
    }

    @Test
    void aFailureIsKeptAndTheNextTryDoesWhatIsLeft() {
        fails = "65";
        assertThatThrownBy(this::run).isInstanceOf(InvalidDataException.class);
        assertThat(record().done()).isFalse();
        assertThat(record().exit()).isEqualTo(65);
        assertThat(record().problem()).isEqualTo("line 3 is bad");
        fails = "";
        run();
        assertThat(ran).containsExactly("fit 1.0", "judge", "judge");
        assertThat(record().done()).isTrue();
        assertThat(record().problem()).isNull();
        assertThat(record().steps()).hasSize(2);
    }

    @Test
    void aSignalAndABugAreToldApart() {
        fails = "75";
        assertThatThrownBy(this::run).isInstanceOf(RunInterruptedException.class);
        assertThat(record().exit()).isEqualTo(75);
        fails = "bug";
        assertThatThrownBy(this::run).isInstanceOf(IllegalStateException.class);
        assertThat(record().exit()).isEqualTo(1);
        assertThat(record().problem()).contains("IllegalStateException: oh");
    }

    @Test
    void aMemberThatRunsElsewhereIsLeftAlone() {
        try (LockFile held = Objects.requireNonNull(LockFile.tryTake(MemberRun.lock(plan, member)))) {
            assertThatThrownBy(this::run)
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("member rate=1 of " + directory + ": another process is running it");
            assertThat(held).isNotNull();
        }
        assertThat(ran).isEmpty();
        assertThat(plan.results(member)).doesNotExist();
    }
}
