package dev.prpf.cli.launch;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.stage.Stage;
import dev.prpf.cli.launch.MemberStatus.State;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code prpf launch status}. */
@Command(
        name = "status",
        description = "How far each member of a launch is, and what to do once all are done.",
        footer = {"", "Example:", "  ./prpf launch status runs/launch-eval-run-20260101-120000"})
final class StatusCommand implements Callable<Integer> {
    @ParentCommand
    private LaunchCommand parent;

    @Parameters(paramLabel = "DIR", description = "The launch's folder.")
    private Path folder;

    @Mixin
    private JsonOption output;

    /** What is printed; {@code then} is null where nothing is to be done at the end. */
    record Status(
            String launch,
            Target to,
            String name,
            @Nullable String id,
            List<MemberStatus> members,
            @Nullable String then) {}

    @Override
    public Integer call() {
        LaunchFolder launch = LaunchFolder.read(folder);
        String id = launch.id();
        List<MemberStatus> members =
                launch.launch().to().scheduler(parent.programs).status(launch);
        Status status = new Status(
                launch.path().toString(),
                launch.launch().to(),
                launch.launch().name(),
                id,
                members,
                launch.launch().then());
        if (output.json) {
            ResultStream.json(status);
        } else {
            print(status);
        }
        return 0;
    }

    private void print(Status status) {
        status.members().forEach(member -> ResultStream.line(line(member)));
        String counts = status.members().stream()
                .collect(Collectors.groupingBy(MemberStatus::state, TreeMap::new, Collectors.counting()))
                .entrySet()
                .stream()
                .map(state -> state.getValue() + " " + EnumName.of(state.getKey()))
                .collect(Collectors.joining(", "));
        ResultStream.line(status.to() + " " + status.id() + ": " + counts);
        if (status.members().stream().allMatch(member -> member.state() == State.DONE)) {
            if (status.then() != null) {
                ResultStream.line("all are done; now: " + status.then());
            }
        } else if (status.members().stream().allMatch(member -> member.state().over())) {
            ResultStream.line("to run the others again: ./prpf launch resume " + Stage.quoted(folder.toString()));
        }
    }

    private static String line(MemberStatus member) {
        String left = member.exitCode() == null ? "" : ", left with " + member.exitCode();
        String again = member.starts() > 1 ? ", started " + member.starts() + " times" : "";
        String detail = Objects.requireNonNullElse(member.detail(), "");
        return member.member() + ": " + EnumName.of(member.state()) + left + again
                + (detail.isEmpty() ? "" : ": " + detail) + "\n   ./prpf " + member.command();
    }
}
