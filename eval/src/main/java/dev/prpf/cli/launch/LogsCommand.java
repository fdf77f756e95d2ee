package dev.prpf.cli.launch;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code prpf launch logs}. */
@Command(
        name = "logs",
        description = "What the members of a launch wrote; Ctrl-C ends the watching, not the work.",
        footer = {"", "Example:", "  ./prpf launch logs --follow --member 0 runs/launch-par-sft-20260101-120000"})
final class LogsCommand implements Callable<Integer> {
    private static final Duration EVERY = Duration.ofSeconds(2);

    @ParentCommand
    private LaunchCommand parent;

    @Parameters(paramLabel = "DIR", description = "The launch's folder.")
    private Path folder;

    @Option(names = "--member", paramLabel = "N", description = "One member only, from 0 (default: all).")
    private @Nullable Integer member;

    @Option(names = "--follow", description = "Go on until every member is over.")
    private boolean follow;

    @Override
    public Integer call() {
        LaunchFolder launch = LaunchFolder.read(folder);
        launch.id(); // one that was never taken has nothing to show
        List<Integer> members =
                member == null ? LaunchCommand.allOf(launch.launch()) : List.of(launch.requireMember(member));
        launch.launch().to().scheduler(parent.programs).logs(launch, members, follow ? EVERY : null);
        return 0;
    }
}
