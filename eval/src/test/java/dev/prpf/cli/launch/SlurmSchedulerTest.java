package dev.prpf.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.workflow.MemberState;
import dev.prpf.cli.launch.JobScheduler.MemberStatus;
import dev.prpf.cli.launch.LaunchFolder.Launch;
import dev.prpf.cli.launch.NotedScheduler.SlurmScheduler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlurmSchedulerTest {
    @TempDir
    Path directory;

    private FakePrograms fakes;
    private LaunchFolder launch;

    @BeforeEach
    void aLaunch() {
        fakes = new FakePrograms(directory.resolve("bin"));
        Launch record = Launches.launch(Target.SLURM, List.of("a", "b", "c", "d", "e", "f"));
        launch = LaunchFolder.create(directory.resolve("launch"), record, "#!/bin/sh\n");
    }

    private SlurmScheduler scheduler() {
        return new SlurmScheduler(fakes.programs());
    }

    private void notes(int member, String... events) throws IOException {
        StringBuilder text = new StringBuilder();
        for (String event : events) {
            text.append("2026-01-01T00:00:00Z ").append(event).append('\n');
        }
        Files.writeString(launch.path().resolve("state/" + member), text);
    }

    @Test
    void theJobsNumberIsWhatSbatchPrints() {
        fakes.with("sbatch", "echo '42;cluster'");
        assertThat(scheduler().submit(launch, List.of(0, 1, 2, 3, 4, 5))).isEqualTo("42");
        assertThat(scheduler().submit(launch, List.of(1, 4))).isEqualTo("42");
        assertThat(fakes.calls())
                .containsExactly(
                        "sbatch --parsable " + launch.job(), "sbatch --parsable --array=1,4%2 " + launch.job());
    }

    @Test
    void aRefusalIsToldInSlurmsWords() {
        fakes.with("sbatch", "echo 'sbatch: error: invalid partition specified: gpu' >&2; exit 1");
        assertThatThrownBy(() -> scheduler().submit(launch, List.of(0)))
                .isInstanceOf(UnavailableException.class)
                .hasMessage("sbatch failed (exit code 1): sbatch: error: invalid partition specified: gpu");
        fakes.with("sbatch", "echo hello");
        assertThatThrownBy(() -> scheduler().submit(launch, List.of(0)))
                .isInstanceOf(UnavailableException.class)
                .hasMessage("sbatch --parsable printed \"hello\", which does not begin with a job id");
    }

    @Test
    void withoutSlurmTheProgramIsNamed() {
        Programs none = new Programs(directory.toString());
        assertThatThrownBy(() -> new SlurmScheduler(none).submit(launch, List.of(0)))
                .isInstanceOf(UnavailableException.class)
                .hasMessage(
                        "sbatch: no such program on the PATH; run this on a machine with sbatch, or launch --to another scheduler");
    }

    @Test
    void eachMemberIsWhereTheQueueAndItsOwnNotesSay() throws IOException {
        launch = launch.submitted("42");
        fakes.with(
                "squeue",
                "printf '%s\\n' '42|0|RUNNING|None' '42|1|PENDING|Resources' '42|2|PENDING|BeginTime' '41|3|RUNNING|None'");
        notes(0, "started n1");
        notes(2, "started n1", "ended 75", "requeued");
        notes(3, "started n1");
        notes(4, "started n1", "ended 0");
        notes(5, "started n1", "ended 137", "requeued", "started n2", "ended 65");
        List<MemberStatus> status = scheduler().status(launch);
        assertThat(status)
                .extracting(MemberStatus::state)
                .containsExactly(
                        MemberState.RUNNING,
                        MemberState.PENDING,
                        MemberState.REQUEUED,
                        MemberState.LOST,
                        MemberState.DONE,
                        MemberState.FAILED);
        assertThat(status.get(0).detail()).isEqualTo("RUNNING");
        assertThat(status.get(1).detail()).isEqualTo("PENDING (Resources)");
        assertThat(status.get(3).detail())
                .startsWith("it recorded no end and slurm no longer has it")
                .endsWith("./prpf launch resume runs it again");
        assertThat(status.get(5))
                .extracting(MemberStatus::exitCode, MemberStatus::starts)
                .containsExactly(65, 2);
        assertThat(status.get(5).command()).isEqualTo("f");
        launch.cancelled(true);
        assertThat(scheduler().status(launch).get(3).state()).isEqualTo(MemberState.CANCELLED);
    }

    /** After a node failed Slurm queues the job again by itself. */
    @Test
    void whomSlurmQueuedAgainIsPending() throws IOException {
        launch = launch.submitted("42");
        fakes.with("squeue", "echo '42|0|PENDING|BeginTime'");
        notes(0, "started n1");
        assertThat(scheduler().status(launch).get(0).state()).isEqualTo(MemberState.PENDING);
        notes(0, "started n1", "ended 75");
        assertThat(scheduler().status(launch).get(0).state())
                .as("it saved, and Slurm has it again after a preemption")
                .isEqualTo(MemberState.REQUEUED);
    }

    @Test
    void aJobThatIsNoArrayHasOneMember() throws IOException {
        Launch one = Launches.launch(Target.SLURM, List.of("a"));
        LaunchFolder single =
                LaunchFolder.create(directory.resolve("one"), one, "").submitted("7");
        fakes.with("squeue", "echo '7|N/A|RUNNING|None'");
        Files.writeString(
                single.path().resolve("state/0"), "2026-01-01T00:00:00Z started n1\n2026-01-01T00:00:00Z end");
        assertThat(scheduler().status(single)).extracting(MemberStatus::state).containsExactly(MemberState.RUNNING);
        fakes.with("scancel", "");
        scheduler().cancel(single);
        assertThat(fakes.calls()).contains("scancel 7");
    }
}
