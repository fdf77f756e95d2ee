package dev.prpf.cli.launch;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.UsageException;
import dev.prpf.cli.launch.MemberStatus.State;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code prpf launch resume}. */
@Command(
        name = "resume",
        description = "Submit the members of a launch that are not done again; each goes on in its run directory.",
        footer = {"", "Example:", "  ./prpf launch resume runs/launch-eval-run-20260101-120000"})
final class ResumeCommand implements Callable<Integer> {
    @ParentCommand
    private LaunchCommand parent;

    @Parameters(paramLabel = "DIR", description = "The launch's folder.")
    private Path folder;

    @Mixin
    private JsonOption output;

    @Override
    public Integer call() {
        LaunchFolder launch = LaunchFolder.read(folder);
        List<Integer> left = launch.launch().id() == null ? LaunchCommand.allOf(launch.launch()) : left(launch);
        if (left.isEmpty()) {
            throw new UsageException(folder + ": every member is done; there is nothing to resume");
        }
        launch.cancelled(false);
        left.forEach(launch::resumed);
        LaunchCommand.report(parent.submit(launch, left), output.json);
        return 0;
    }

    private List<Integer> left(LaunchFolder launch) {
        List<MemberStatus> members =
                launch.launch().to().scheduler(parent.programs).status(launch);
        members.stream().filter(member -> !member.state().over()).findFirst().ifPresent(member -> {
            throw new UsageException(folder + ": member " + member.member() + " is " + EnumName.of(member.state())
                    + " still; wait for it, or end it with ./prpf launch cancel " + folder);
        });
        return members.stream()
                .filter(member -> member.state() != State.DONE)
                .map(MemberStatus::member)
                .toList();
    }
}
