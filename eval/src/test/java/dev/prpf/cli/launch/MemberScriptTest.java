package dev.prpf.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.prpf.base.workflow.MemberState;
import dev.prpf.cli.launch.JobScheduler.MemberStatus;
import dev.prpf.cli.launch.NotedScheduler.LocalScheduler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the shipped job scripts with a stub for {@code prpf}. */
@Tag("slow")
class MemberScriptTest {
    /** {@code work NAME CODE…} leaves with each code in turn, the last for good; {@code wait} for a signal, which it notes, the first time. */
    private static final String PRPF =
            """
            echo "$$ ${PRPF_PROFILE:-none} $*" >> "$here/prpf"
            case $1 in
              doctor) [ -z "$broken" ] || exit 69
                echo '{"ok":true,"checks":[{"group":"x","name":"gpu","found":"y"},{"group":"machine","name":"profile","state":"ok",'\\
            '"essential":false,"found":"'"${fits:-cpu}"': what runs where","advice":null}]}' ;;
              work)
                shift 2
                times=$(grep -c " work $name" "$here/prpf")
                [ "$times" -lt $# ] || times=$#
                code=${!times}
                [ "$code" != kill ] || kill -KILL $$
                exit "$code" ;;
              wait)
                [ ! -e "$here/signals" ] || exit 0
                trap 'echo USR1 >> "$here/signals"' USR1
                trap 'echo TERM >> "$here/signals"' TERM
                : > "$here/ready"
                until [ -s "$here/signals" ]; do sleep 0.02; done
                sleep 0.3 # for a second one to come
                exit 75 ;;
              words) printf '%s\\n' "$@" ;;
            esac
            """;

    @TempDir
    Path directory;

    private FakePrograms fakes;

    @BeforeEach
    void aStandIn() {
        fakes = new FakePrograms(directory.resolve("bin")).script("prpf", "here='" + directory + "'\nname=$2\n" + PRPF);
    }

    private LaunchFolder launch(Target to, LaunchConfig config, String... commands) {
        List<List<String>> members = Arrays.stream(commands)
                .map(line -> List.of(line.split(" ", -1)))
                .toList();
        LaunchPlan plan = new LaunchPlan(members, null);
        Path folder = directory.resolve("launch");
        String job = Launches.job(to, folder, fakes.folder().resolve("prpf"), plan, config);
        return LaunchFolder.create(folder, Launches.launch(to, plan.lines()), job);
    }

    private ProcessBuilder bash(LaunchFolder launch, Map<String, String> environment) {
        ProcessBuilder builder = new ProcessBuilder("bash", launch.job().toString()).inheritIO();
        builder.environment().put("PATH", fakes.path());
        builder.environment().putAll(environment);
        return builder;
    }

    private LaunchFolder ran(LaunchConfig config, String... commands) {
        return ran(config, Map.of(), commands);
    }

    /** Runs a local job to its end, in this process's session. */
    private LaunchFolder ran(LaunchConfig config, Map<String, String> environment, String... commands) {
        LaunchFolder launch = launch(Target.LOCAL, config, commands);
        try {
            assertThat(bash(launch, environment).start().waitFor()).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return launch;
    }

    private static List<String> events(LaunchFolder launch, int member) throws IOException {
        return Files.readAllLines(launch.path().resolve("state/" + member)).stream()
                .map(line -> line.split(" ", -1))
                .map(words -> words[1].equals("started")
                        ? "started"
                        : String.join(" ", List.of(words).subList(1, words.length)))
                .toList();
    }

    private List<String> signals() throws IOException {
        return Files.readAllLines(directory.resolve("signals"));
    }

    private List<String> started() throws IOException {
        return Files.readAllLines(directory.resolve("prpf")).stream()
                .map(line -> line.substring(line.indexOf(' ') + 1))
                .toList();
    }

    @Test
    void whatIsWrongIsNotRunAgainAndTheOthersGoOn() throws IOException {
        LaunchFolder launch = ran(
                Launches.config("nodes=2"), "work a 0", "work b 65", "work c 10", "work d 69", "work e 78", "work f 2");
        List<Integer> codes = new ArrayList<>();
        for (int member = 0; member < 6; member++) {
            assertThat(launch.notes(member).starts()).isOne();
            codes.add(launch.notes(member).exitCode());
        }
        assertThat(codes).containsExactly(0, 65, 10, 69, 78, 2);
        assertThat(events(launch, 1)).containsExactly("started", "ended 65");
    }

    @Test
    void whoSavedGoesOnUntilItIsDone() throws IOException {
        LaunchFolder launch = ran(Launches.config(), "work a 75 75 0");
        assertThat(events(launch, 0))
                .containsExactly(
                        "started", "ended 75", "requeued", "started", "ended 75", "requeued", "started", "ended 0");
    }

    @Test
    void whoNeverEndsIsGivenUpAndTold() throws IOException {
        LaunchFolder launch = ran(Launches.config("restarts=1"), "work a 75");
        assertThat(events(launch, 0)).containsExactly("started", "ended 75", "requeued", "started", "ended 75");
        assertThat(launch.log(0))
                .content()
                .contains("error: the member exited with 75 more than 1 times and is not run again");
    }

    @Test
    void whoWasKilledBeginsAgainAFewTimes() throws IOException {
        assertThat(events(ran(Launches.config("retries=1"), "work a kill 0"), 0))
                .containsExactly("started", "ended 137", "requeued", "started", "ended 0");
    }

    @Test
    void whoIsResumedHasAllItsRestartsAgain() throws IOException, InterruptedException {
        LaunchFolder launch = ran(Launches.config("restarts=1"), "work a 75 75 75 0");
        assertThat(launch.notes(0).exitCode()).isEqualTo(75);
        launch.resumed(0);
        assertThat(bash(launch, Map.of()).start().waitFor()).isZero();
        assertThat(events(launch, 0))
                .endsWith("ended 75", "resumed", "started", "ended 75", "requeued", "started", "ended 0");
        assertThat(launch.notes(0).starts()).isEqualTo(4);
    }

    @Test
    void beforeItsTimeIsUpAMemberIsToldOnceAndGoesOn() throws IOException {
        LaunchFolder launch = ran(Launches.config("time='00:00:05'", "grace=1"), "wait");
        assertThat(signals()).containsExactly("USR1");
        assertThat(events(launch, 0)).containsExactly("started", "ended 75", "requeued", "started", "ended 0");
    }

    @Test
    void wordsArriveAsTheyWereTyped() {
        LaunchFolder launch = ran(Launches.config("profile=cpu"), "words $HOME it's \"a\" 中文 $(x) * \\");
        assertThat(launch.log(0)).content().contains("\nwords\n$HOME\nit's\n\"a\"\n中文\n$(x)\n*\n\\\n");
    }

    @Test
    void theBuildIsTheOneThatFitsTheCards() throws IOException {
        ran(Launches.config("gpus=1"), Map.of("fits", "cuda: the reasoner; cuda-mpp"), "work a 0");
        assertThat(started())
                .as("its perceiver stays on the processor")
                .containsExactly("cpu doctor --json", "cuda work a 0");
    }

    @Test
    void aBuildThatIsNamedIsTakenWithoutAsking() throws IOException {
        ran(Launches.config("profile='cuda-mpp,encoders'"), "work a 0");
        assertThat(started()).containsExactly("cuda-mpp,encoders work a 0");
    }

    @Test
    void aNodeWithoutTheCardsThatWereAskedForRunsNothing() throws IOException {
        LaunchFolder launch = ran(Launches.config("gpus=1"), "work a 0");
        assertThat(events(launch, 0)).containsExactly("started", "ended 69");
        assertThat(launch.log(0)).content().contains("error: gpus = 1, and PRPF_PROFILE=cpu is what fits");
        assertThat(started()).containsExactly("cpu doctor --json");
    }

    @Test
    void aNodeOnWhichNothingWorksLeavesAsDoctorDoes() throws IOException {
        assertThat(events(ran(Launches.config(), Map.of("broken", "yes"), "work a 0"), 0))
                .containsExactly("started", "ended 69");
    }

    @Test
    void cancellingHereReachesEveryProcessOnceAndNothingElseBegins() throws IOException {
        LaunchFolder written = launch(Target.LOCAL, Launches.config(), "wait", "work b 0");
        LocalScheduler scheduler = new LocalScheduler(fakes.programs());
        LaunchFolder launch = written.submitted(scheduler.submit(written, List.of(0, 1)));
        Launches.await("the member runs", () -> Files.exists(directory.resolve("ready")));
        assertThat(scheduler.status(launch))
                .extracting(MemberStatus::state)
                .containsExactly(MemberState.RUNNING, MemberState.PENDING);
        launch.cancelled(true);
        scheduler.cancel(launch);
        Launches.await("it ended", () -> scheduler.status(launch).stream()
                .allMatch(one -> one.state().over()));
        assertThat(signals()).containsExactly("TERM");
        assertThat(scheduler.status(launch))
                .extracting(MemberStatus::state)
                .containsExactly(MemberState.STOPPED, MemberState.CANCELLED);
        scheduler.cancel(launch); // nothing is there any more
        assertThat(Files.readString(directory.resolve("prpf"))).doesNotContain("work b");

        launch.cancelled(false);
        launch.resumed(1);
        LaunchFolder again = launch.submitted(scheduler.submit(launch, List.of(1)));
        scheduler.logs(again, List.of(1), Duration.ofMillis(20));
        assertThat(scheduler.status(again))
                .extracting(MemberStatus::state)
                .containsExactly(MemberState.STOPPED, MemberState.DONE);
    }

    @Test
    void slurmsWarningReachesTheMemberOnceAndTheJobIsQueuedAgain() throws IOException, InterruptedException {
        fakes.with("scontrol", "");
        LaunchFolder launch = launch(Target.SLURM, Launches.config(), "work a 0", "wait");
        Process job = bash(launch, Map.of("SLURM_JOB_ID", "43", "SLURM_ARRAY_TASK_ID", "1"))
                .start();
        Launches.await("the member runs", () -> Files.exists(directory.resolve("ready")));
        assertThat(new ProcessBuilder("kill", "-USR1", String.valueOf(job.pid()))
                        .start()
                        .waitFor())
                .isZero();
        assertThat(job.waitFor()).isEqualTo(75);
        assertThat(signals()).containsExactly("USR1");
        assertThat(fakes.calls()).containsExactly("scontrol requeue 43");
        assertThat(events(launch, 1)).containsExactly("started", "ended 75", "requeued");
    }

    @Test
    void whomSlurmStopsIsNotQueuedAgainByItself() throws IOException, InterruptedException {
        fakes.with("scontrol", "");
        LaunchFolder launch = launch(Target.SLURM, Launches.config(), "wait");
        Process job = bash(launch, Map.of("SLURM_JOB_ID", "43")).start();
        Launches.await("the member runs", () -> Files.exists(directory.resolve("ready")));
        String work = Files.readAllLines(directory.resolve("prpf")).get(1).split(" ", -1)[0];
        for (String process : List.of(String.valueOf(job.pid()), work)) { // as Slurm does: each of them
            assertThat(new ProcessBuilder("kill", "-TERM", process).start().waitFor())
                    .isZero();
        }
        assertThat(job.waitFor()).isEqualTo(75);
        assertThat(signals()).containsExactly("TERM");
        assertThat(fakes.calls()).isEmpty();
    }

    @Test
    void aJobThatCannotBeQueuedAgainSaysHowItEnded() throws IOException, InterruptedException {
        fakes.with("scontrol", "exit 1");
        LaunchFolder launch = launch(Target.SLURM, Launches.config(), "work a 75");
        assertThat(bash(launch, Map.of("SLURM_JOB_ID", "43")).start().waitFor()).isEqualTo(75);
        assertThat(events(launch, 0)).containsExactly("started", "ended 75", "requeued", "ended 75");
    }

    @Test
    void theContainersShellHandsSigtermOnOnce() throws IOException, InterruptedException {
        LaunchFolder launch = launch(Target.KUBERNETES, Launches.config("time=null"), "work a 0", "wait");
        JsonNode container = new YAMLMapper().readTree(launch.job().toFile()).at("/spec/template/spec/containers/0");
        List<String> command = new ArrayList<>();
        container.get("command").forEach(word -> command.add(word.asText()));
        container.get("args").forEach(word -> command.add(word.asText()));
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().put("JOB_COMPLETION_INDEX", "1");
        Process shell = builder.start();
        Launches.await("the member runs", () -> Files.exists(directory.resolve("ready")));
        shell.destroy();
        assertThat(shell.waitFor()).isEqualTo(75);
        assertThat(signals()).containsExactly("TERM");
    }
}
