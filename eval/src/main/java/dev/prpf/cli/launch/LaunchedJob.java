package dev.prpf.cli.launch;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.workflow.MemberState;
import dev.prpf.base.workflow.Stage;
import dev.prpf.cli.launch.JobScheduler.MemberStatus;
import dev.prpf.cli.launch.LaunchFolder.Launch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Operations on a launch and its scheduler.
 *
 * @param typed the folder as the user typed it
 */
record LaunchedJob(Path typed, LaunchFolder folder, Programs programs) {
    private static final Duration EVERY = Duration.ofSeconds(2);

    private record Submitted(
            String launch,
            Target to,
            String name,
            String id,
            List<String> members,
            String job,
            @Nullable String then) {}

    /** The result of {@code launch status}; {@code then} is the command to run after all members, or null. */
    private record Status(
            String launch,
            Target to,
            String name,
            @Nullable String id,
            List<MemberStatus> members,
            @Nullable String then) {}

    private record Cancelled(String launch, Target to, String id) {}

    private Launch launch() {
        return folder.launch();
    }

    private String quoted() {
        return Stage.quoted(typed.toString());
    }

    private JobScheduler scheduler() {
        return launch().to().scheduler(programs);
    }

    /** Submits members, saves the scheduler's id of the job, and prints both. */
    void submit(List<Integer> members, JsonOption output) {
        String id = scheduler().submit(folder, members);
        Launch launch;
        try {
            launch = folder.submitted(id).launch();
        } catch (UnavailableException e) {
            throw new UnavailableException(
                    launch().to() + " accepted the job as " + id
                            + ", but this id cannot be saved; cancel the job with " + launch().to()
                            + "'s own commands: " + e.getMessage(),
                    e);
        }
        String path = folder.path().toString();
        String job = folder.job().toString();
        output.printLines(
                new Submitted(path, launch.to(), launch.name(), id, launch.members(), job, launch.then()),
                () -> submitted(launch, id, members.size()));
    }

    private List<String> submitted(Launch launch, String id, int count) {
        List<String> lines = new ArrayList<>();
        int all = launch.members().size();
        lines.add(launch.to() + " accepted " + launch.name() + " as " + id + " (" + (count == all ? "" : count + " of ")
                + all + (all == 1 ? " member)" : " members)"));
        for (String verb : List.of("status", "logs --follow", "cancel")) {
            lines.add(
                    "  ./prpf launch " + verb + " " + Stage.quoted(folder.path().toString()));
        }
        if (launch.then() != null) {
            lines.add("once all are done: " + launch.then());
        }
        return lines;
    }

    /** Submits the members that are not done. */
    void resume(JsonOption output) {
        List<Integer> left = launch().id() == null ? folder.all() : left();
        if (left.isEmpty()) {
            throw new UsageException(typed + ": every member is done; there is nothing to resume");
        }
        folder.cancelled(false);
        left.forEach(folder::resumed);
        submit(left, output);
    }

    private List<Integer> left() {
        List<MemberStatus> members = scheduler().status(folder);
        members.stream().filter(member -> !member.state().over()).findFirst().ifPresent(member -> {
            throw new UsageException(typed + ": member " + member.member() + " is still "
                    + member.state().label() + "; wait for it, or cancel it with ./prpf launch cancel " + quoted());
        });
        return members.stream()
                .filter(member -> member.state() != MemberState.DONE)
                .map(MemberStatus::member)
                .toList();
    }

    void cancel(JsonOption output) {
        String id = folder.id();
        folder.cancelled(true); // before its members exit, so that none is queued again
        scheduler().cancel(folder);
        output.print(
                new Cancelled(folder.path().toString(), launch().to(), id),
                () -> "asked " + launch().to() + " to cancel " + id
                        + "; running members save first. To resume: ./prpf launch resume " + quoted());
    }

    /** Prints the logs of one member, or of all if the number is null. */
    void printLogs(@Nullable Integer member, boolean follow) {
        folder.id(); // fails for a launch that was never submitted
        List<Integer> members = member == null ? folder.all() : List.of(folder.requireMember(member));
        scheduler().logs(folder, members, follow ? EVERY : null);
    }

    void printStatus(JsonOption output) {
        String id = folder.id();
        List<MemberStatus> members = scheduler().status(folder);
        output.printLines(
                new Status(folder.path().toString(), launch().to(), launch().name(), id, members, launch().then()),
                () -> status(id, members));
    }

    private List<String> status(String id, List<MemberStatus> members) {
        List<String> lines =
                new ArrayList<>(members.stream().map(LaunchedJob::line).toList());
        String counts = members.stream()
                .collect(Collectors.groupingBy(MemberStatus::state, TreeMap::new, Collectors.counting()))
                .entrySet()
                .stream()
                .map(state -> state.getValue() + " " + state.getKey().label())
                .collect(Collectors.joining(", "));
        lines.add(launch().to() + " " + id + ": " + counts);
        if (members.stream().allMatch(member -> member.state() == MemberState.DONE)) {
            if (launch().then() != null) {
                lines.add("all are done; next: " + launch().then());
            }
        } else if (members.stream().allMatch(member -> member.state().over())) {
            lines.add("to run the others again: ./prpf launch resume " + quoted());
        }
        return lines;
    }

    private static String line(MemberStatus member) {
        String left = member.exitCode() == null ? "" : ", exit code " + member.exitCode();
        String again = member.starts() > 1 ? ", started " + member.starts() + " times" : "";
        String detail = Objects.requireNonNullElse(member.detail(), "");
        return member.member() + ": " + member.state().label() + left + again + (detail.isEmpty() ? "" : ": " + detail)
                + "\n   ./prpf " + member.command();
    }
}
