package dev.prpf.cli.launch;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code prpf launch cancel}. */
@Command(
        name = "cancel",
        description = "End a launch: what runs is told to save and to leave, what waits does not begin.",
        footer = {"", "Example:", "  ./prpf launch cancel runs/launch-par-sft-20260101-120000"})
final class CancelCommand implements Callable<Integer> {
    @ParentCommand
    private LaunchCommand parent;

    @Parameters(paramLabel = "DIR", description = "The launch's folder.")
    private Path folder;

    @Mixin
    private JsonOption output;

    /** What is printed. */
    record Cancelled(String launch, Target to, String id) {}

    @Override
    public Integer call() {
        LaunchFolder launch = LaunchFolder.read(folder);
        String id = launch.id();
        launch.cancelled(true); // before its members leave, so that none goes on
        launch.launch().to().scheduler(parent.programs).cancel(launch);
        if (output.json) {
            ResultStream.json(
                    new Cancelled(launch.path().toString(), launch.launch().to(), id));
        } else {
            ResultStream.line("told " + launch.launch().to() + " to end " + id
                    + "; members that run save first. To go on: ./prpf launch resume " + folder);
        }
        return 0;
    }
}
