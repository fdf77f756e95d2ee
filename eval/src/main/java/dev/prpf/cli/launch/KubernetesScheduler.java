package dev.prpf.cli.launch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.workflow.MemberState;
import dev.prpf.cli.launch.JobScheduler.MemberStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Submits to Kubernetes through {@code kubectl}: a launch is a Job, each start of a member a pod. */
record KubernetesScheduler(Programs programs) implements JobScheduler {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String INDEX = "batch.kubernetes.io/job-completion-index";
    /** Exit codes after which the Job's failure policy starts no new pod; see configs/launch/kubernetes.yaml. */
    private static final Set<Integer> FINAL = Set.of(0, 1, 2, 3, 10, 11, 65, 69, 78);

    @Override
    public String submit(LaunchFolder folder, List<Integer> members) {
        if (members.size() < folder.launch().members().size()) {
            throw new UsageException("a Job of Kubernetes cannot run only some of its members; launch them again");
        }
        if (folder.launch().id() != null) { // a Job that ended cannot be changed
            programs.run(delete(folder));
        }
        programs.run(List.of("kubectl", "apply", "--filename", folder.job().toString()));
        return folder.launch().name();
    }

    @Override
    public List<MemberStatus> status(LaunchFolder folder) {
        JsonNode job = get(folder, "job", folder.id(), "--ignore-not-found");
        List<JsonNode> pods = pods(folder);
        return IntStream.range(0, folder.launch().members().size())
                .mapToObj(member -> status(folder, member, job, of(member, pods)))
                .toList();
    }

    private List<JsonNode> pods(LaunchFolder folder) {
        JsonNode pods = get(folder, "pods", "--selector=batch.kubernetes.io/job-name=" + folder.id());
        return StreamSupport.stream(pods.path("items").spliterator(), false)
                .sorted(Comparator.comparing(
                        pod -> pod.at("/metadata/creationTimestamp").asText()))
                .toList();
    }

    private static List<JsonNode> of(int member, List<JsonNode> pods) {
        return pods.stream()
                .filter(pod -> pod.at("/metadata/labels").path(INDEX).asInt(0) == member)
                .toList();
    }

    private JsonNode get(LaunchFolder folder, String... what) {
        List<String> command = new ArrayList<>(kubectl(folder, "get"));
        command.addAll(List.of(what));
        command.add("--output=json");
        String text = programs.run(command);
        try {
            return text.isBlank() ? MissingNode.getInstance() : JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new UnavailableException("kubectl get " + what[0] + " printed no JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static List<String> kubectl(LaunchFolder folder, String verb) {
        return List.of("kubectl", verb, "--namespace=" + folder.launch().namespace());
    }

    private static MemberStatus status(LaunchFolder folder, int member, JsonNode job, List<JsonNode> pods) {
        JsonNode last = pods.isEmpty() ? MissingNode.getInstance() : pods.get(pods.size() - 1);
        Integer exitCode = exitCode(last);
        MemberState state = state(folder, job, last, exitCode);
        JsonNode ended = condition(job, "Failed");
        JsonNode scheduled = condition(last, "PodScheduled");
        String detail = null;
        if (state == MemberState.FAILED && !ended.isMissingNode()) {
            detail = ended.path("message").asText();
        } else if (state == MemberState.PENDING && job.at("/spec/suspend").asBoolean()) {
            detail = "suspended: its queue has not admitted it yet";
        } else if (state == MemberState.PENDING && scheduled.has("message")) {
            detail = scheduled.path("message").asText();
        }
        String command = folder.launch().members().get(member);
        return new MemberStatus(member, state, exitCode, pods.size(), detail, command);
    }

    private static MemberState state(LaunchFolder folder, JsonNode job, JsonNode last, @Nullable Integer exitCode) {
        boolean over = job.isMissingNode()
                || !condition(job, "Failed").isMissingNode()
                || !condition(job, "Complete").isMissingNode();
        if (exitCode != null) {
            return over || FINAL.contains(exitCode) ? MemberState.left(exitCode) : MemberState.REQUEUED;
        }
        if (over) {
            return folder.cancelled() ? MemberState.CANCELLED : MemberState.LOST;
        }
        return last.at("/status/phase").asText().equals("Running") ? MemberState.RUNNING : MemberState.PENDING;
    }

    private static @Nullable Integer exitCode(JsonNode pod) {
        JsonNode code = pod.at("/status/containerStatuses/0/state/terminated/exitCode");
        return code.isInt() ? (Integer) code.intValue() : null;
    }

    /** Returns a condition that holds, or a missing node. */
    private static JsonNode condition(JsonNode object, String type) {
        boolean negative = type.equals("PodScheduled"); // here the reason for a false condition matters
        return StreamSupport.stream(object.at("/status/conditions").spliterator(), false)
                .filter(one -> one.path("type").asText().equals(type))
                .filter(one -> one.path("status").asText().equals(negative ? "False" : "True"))
                .findFirst()
                .orElse(MissingNode.getInstance());
    }

    @Override
    public void cancel(LaunchFolder folder) {
        List<String> command = new ArrayList<>(delete(folder));
        command.add("--wait=false");
        programs.run(command);
    }

    private static List<String> delete(LaunchFolder folder) {
        List<String> command = new ArrayList<>(kubectl(folder, "delete"));
        command.addAll(List.of("job", folder.id(), "--ignore-not-found"));
        return command;
    }

    @Override
    public void logs(LaunchFolder folder, List<Integer> members, @Nullable Duration every) {
        if (every != null && members.size() > 1) {
            throw new UsageException("--follow takes one member of a Job: add --member N");
        }
        Set<String> shown = new HashSet<>();
        while (true) {
            boolean over =
                    every == null || status(folder).get(members.get(0)).state().over();
            List<JsonNode> pods = pods(folder);
            members.forEach(member -> of(member, pods).stream()
                    .filter(pod -> !pod.at("/status/phase").asText().equals("Pending"))
                    .map(pod -> pod.at("/metadata/name").asText())
                    .filter(shown::add)
                    .forEach(pod -> log(folder, pod, every != null, members.size() == 1 ? "" : "[" + member + "] ")));
            if (over) {
                return;
            }
            LockSupport.parkNanos(Objects.requireNonNull(every).toNanos());
        }
    }

    private void log(LaunchFolder folder, String pod, boolean follow, String prefix) {
        List<String> command = new ArrayList<>(kubectl(folder, "logs"));
        command.add(pod);
        if (follow) {
            command.add("--follow");
        }
        programs.lines(command, line -> ResultStream.line(prefix + line));
    }
}
