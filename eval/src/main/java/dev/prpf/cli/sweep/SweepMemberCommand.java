package dev.prpf.cli.sweep;

import dev.prpf.base.error.UsageException;
import dev.prpf.base.stage.InThisProcess;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code prpf sweep member}. */
@Command(
        name = "member",
        description = {
            "Run one member of a planned sweep to its end, as sweep itself and the tasks of an array do, and keep what it gave for",
            "sweep gather. Killed or stopped and started again, it goes on; it leaves as its commands do."
        },
        footer = {"", "Example:", "  ./prpf sweep member runs/seeds 3"})
public final class SweepMemberCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "DIR", description = "The sweep's folder, which holds sweep.json.")
    private Path directory;

    @Parameters(index = "1", paramLabel = "INDEX", description = "The member's place in the plan, from 0.")
    private int index;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        SweepPlan plan = SweepPlan.read(directory);
        if (index < 0 || index >= plan.members().size()) {
            throw new UsageException("member " + index + " of " + directory + ", must be from 0 to "
                    + (plan.members().size() - 1));
        }
        new MemberRun(plan, plan.members().get(index), InThisProcess.of(spec)).run();
        return 0;
    }
}
