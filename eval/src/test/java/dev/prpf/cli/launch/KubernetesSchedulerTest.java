package dev.prpf.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.workflow.MemberState;
import dev.prpf.cli.launch.JobScheduler.MemberStatus;
import dev.prpf.cli.launch.LaunchFolder.Launch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubernetesSchedulerTest {
    @TempDir
    Path directory;

    private FakePrograms fakes;
    private LaunchFolder launch;

    @BeforeEach
    void aLaunch() throws IOException {
        fakes = new FakePrograms(directory.resolve("bin"))
                .with(
                        "kubectl",
                        "case \"$1 $3\" in 'get job') cat '" + directory + "/job' ;; 'get pods') cat '" + directory
                                + "/pods' ;; esac\n[ \"$1\" != logs ] || echo \"log of $3\"");
        Launch record = Launches.launch(Target.KUBERNETES, List.of("a", "b", "c"));
        launch = LaunchFolder.create(directory.resolve("launch"), record, "kind: Job\n")
                .submitted("train-1");
        job("{\"spec\": {}, \"status\": {}}");
        pods();
    }

    private void job(String json) throws IOException {
        Files.writeString(directory.resolve("job"), json);
    }

    private void pods(String... pods) throws IOException {
        Files.writeString(directory.resolve("pods"), "{\"items\": [" + String.join(",", pods) + "]}");
    }

    private static String pod(int member, int second, String status) {
        return "{\"metadata\": {\"name\": \"pod-%d-%d\", \"creationTimestamp\": \"2026-01-01T00:00:%02dZ\", \"labels\": {"
                        .formatted(member, second, second)
                + "\"batch.kubernetes.io/job-completion-index\": \"" + member + "\"}}, \"status\": " + status + "}";
    }

    private static String left(int code) {
        return "{\"phase\": \"" + (code == 0 ? "Succeeded" : "Failed")
                + "\", \"containerStatuses\": [{\"state\": {\"terminated\": {\"exitCode\": " + code + "}}}]}";
    }

    private KubernetesScheduler scheduler() {
        return new KubernetesScheduler(fakes.programs());
    }

    private List<MemberState> states() {
        return scheduler().status(launch).stream().map(MemberStatus::state).toList();
    }

    private String logged(List<Integer> members, boolean follow) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream before = ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        try {
            scheduler().logs(launch, members, follow ? Duration.ofMillis(10) : null);
        } finally {
            ResultStream.redirect(before);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void theManifestIsAppliedAndOneThatEndedIsMadeAnew() {
        Launch fresh = Launches.launch(Target.KUBERNETES, List.of("a"));
        LaunchFolder folder = LaunchFolder.create(directory.resolve("new"), fresh, "");
        assertThat(scheduler().submit(folder, List.of(0))).isEqualTo("train-1");
        scheduler().submit(folder.submitted("train-1"), List.of(0));
        assertThat(fakes.calls())
                .containsExactly(
                        "kubectl apply --filename " + folder.job(),
                        "kubectl delete --namespace=space job train-1 --ignore-not-found",
                        "kubectl apply --filename " + folder.job());
        assertThatThrownBy(() -> scheduler().submit(launch, List.of(1)))
                .isInstanceOf(UsageException.class)
                .hasMessage("a Job of Kubernetes cannot run only some of its members; launch them again");
    }

    @Test
    void theNewestPodOfEachMemberSaysHowFarItIs() throws IOException {
        pods(pod(0, 3, "{\"phase\": \"Running\"}"), pod(0, 1, left(75)), pod(1, 2, left(0)), pod(2, 2, left(78)));
        List<MemberStatus> status = scheduler().status(launch);
        assertThat(status)
                .extracting(MemberStatus::state)
                .containsExactly(MemberState.RUNNING, MemberState.DONE, MemberState.FAILED);
        assertThat(status).extracting(MemberStatus::starts).containsExactly(2, 1, 1);
        assertThat(status).extracting(MemberStatus::exitCode).containsExactly(null, 0, 78);
    }

    @Test
    void whoSavedOrWasKilledComesAgainUntilTheJobIsOver() throws IOException {
        pods(pod(0, 1, left(75)), pod(1, 1, left(137)), pod(2, 1, left(0)));
        assertThat(states()).containsExactly(MemberState.REQUEUED, MemberState.REQUEUED, MemberState.DONE);
        job(
                "{\"status\": {\"conditions\": [{\"type\": \"Failed\", \"status\": \"True\", \"message\": \"limit reached\"}]}}");
        assertThat(states()).containsExactly(MemberState.STOPPED, MemberState.FAILED, MemberState.DONE);
        assertThat(scheduler().status(launch).get(1).detail()).isEqualTo("limit reached");
    }

    @Test
    void whoWaitsIsToldWhatFor() throws IOException {
        pods(pod(
                0,
                1,
                "{\"phase\": \"Pending\", \"conditions\": [{\"type\": \"PodScheduled\", \"status\": \"False\","
                        + " \"message\": \"0/3 nodes: insufficient nvidia.com/gpu\"}]}"));
        assertThat(scheduler().status(launch).get(0))
                .extracting(MemberStatus::state, MemberStatus::detail)
                .containsExactly(MemberState.PENDING, "0/3 nodes: insufficient nvidia.com/gpu");
        job("{\"spec\": {\"suspend\": true}}");
        assertThat(scheduler().status(launch).get(1).detail())
                .isEqualTo("suspended: its queue has not admitted it yet");
    }

    @Test
    void aJobThatIsGoneWasCancelledOrIsLost() throws IOException {
        job("");
        assertThat(states()).containsOnly(MemberState.LOST);
        launch.cancelled(true);
        assertThat(states()).containsOnly(MemberState.CANCELLED);
        scheduler().cancel(launch);
        assertThat(fakes.calls())
                .contains("kubectl delete --namespace=space job train-1 --ignore-not-found --wait=false");
    }

    @Test
    void logsAreThoseOfEveryStartAndFollowTheNewest() throws IOException {
        pods(pod(0, 1, left(75)), pod(0, 2, left(0)), pod(1, 1, left(0)), pod(2, 1, "{\"phase\": \"Pending\"}"));
        assertThat(logged(List.of(0, 1, 2), false))
                .isEqualTo("[0] log of pod-0-1\n[0] log of pod-0-2\n[1] log of pod-1-1\n");
        assertThat(logged(List.of(0), true)).isEqualTo("log of pod-0-1\nlog of pod-0-2\n");
        assertThat(fakes.calls()).contains("kubectl logs --namespace=space pod-0-2 --follow");
        assertThatThrownBy(() -> logged(List.of(0, 1), true))
                .isInstanceOf(UsageException.class)
                .hasMessage("--follow takes one member of a Job: add --member N");
    }

    @Test
    void aClusterThatRefusesIsToldInItsWords() throws IOException {
        fakes.with("kubectl", "echo 'error: You must be logged in to the server' >&2; exit 1");
        assertThatThrownBy(this::states)
                .isInstanceOf(UnavailableException.class)
                .hasMessage("kubectl failed (exit code 1): error: You must be logged in to the server");
        fakes.with("kubectl", "echo nonsense");
        assertThatThrownBy(this::states)
                .isInstanceOf(UnavailableException.class)
                .hasMessageStartingWith("kubectl get job printed no JSON");
    }
}
