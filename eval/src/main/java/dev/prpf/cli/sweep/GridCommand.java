package dev.prpf.cli.sweep;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.RunOptions;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.RunInterruptedException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.error.Suggestion;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.base.workflow.InThisProcess;
import dev.prpf.base.workflow.MemberState;
import dev.prpf.base.workflow.ParsedCommand;
import dev.prpf.base.workflow.Stage;
import dev.prpf.cli.doctor.VisibleGpus;
import dev.prpf.cli.sweep.MemberQueue.JavaStarter;
import dev.prpf.cli.sweep.MemberQueue.MemberMemory;
import dev.prpf.cli.sweep.SweepConfig.GatherSettings;
import dev.prpf.cli.sweep.SweepPlan.SweepMember;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Implements the command {@code prpf grid}. */
@Command(
        name = "grid",
        description = {
            "Run a command once for every combination of values, several at a time, and gather the results into one table and plot.",
            "Started again after a kill, the sweep resumes; finished members are not run again."
        },
        subcommands = SweepGatherCommand.class,
        footer = {
            "  ./prpf grid --sweep training.seed=42..46 --workers 2 --run-dir runs/seeds -- \\",
            "      gate train --config configs/gate.yaml --data train.json --images images",
            "  ./prpf grid --sweep --shortlist=1..10 --run-dir runs/shortlist -- eval run --data test.json --gate runs/gate \\",
            "      --reasoner runs/reasoner/model --out {self}/predictions.jsonl -- \\",
            "      eval score --gold test.json --pool function_pool.json --predictions {self}/predictions.jsonl",
            "  ./prpf grid --config configs/sweeps/quickstart.yaml --run-dir runs/sweeps",
            "  ./prpf grid gather runs/seeds"
        })
public final class GridCommand implements Runnable {
    /** Name of the sweep when the command line has only one. */
    static final String ONE = "sweep";

    @Mixin
    private RunOptions common;

    @Option(
            names = "--sweep",
            paramLabel = "KEY=VALUES",
            description =
                    "An axis (repeatable): a key of the command's configuration, or an option of it, which begins with "
                            + "--. Values are a,b,c, a range a..b, or one with a step, a..b..step.")
    private List<String> axes = List.of();

    @Option(
            names = "--workers",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Number of members that run at a time, if memory allows; they share the cores, and each has its own "
                            + "GPU if this build uses GPUs (default: 1).")
    private int workers;

    @Option(
            names = "--metric",
            paramLabel = "[NAME=]SOURCE",
            description =
                    "A column of the table (repeatable): a.b of the last command's result, or FILE#/a/b, a JSON Pointer "
                            + "into a file of each member. Default: every number of the last result that differs.")
    private List<String> metrics = List.of();

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "NAME",
            description = "With --config: only these of its sweeps (default: all).")
    private List<String> only = List.of();

    @Option(
            names = "--plan-only",
            description =
                    "Write the plan, run nothing and print the command of each member, for the tasks of an array; grid "
                            + "gather collects their results.")
    private boolean planOnly;

    @Parameters(
            arity = "0..*",
            paramLabel = "-- COMMAND",
            description =
                    "The command of every member, with {self} for its own directory and {KEY} for an axis's value; a "
                            + "further -- begins the member's next command.")
    private List<String> command = List.of();

    @Spec
    private CommandSpec spec;

    /** Parses the members' commands; created on first use. */
    private @Nullable CommandLine tree;

    @Override
    public void run() {
        if (workers < 1) {
            throw new UsageException("--workers = " + workers + ", must be at least 1");
        }
        Path directory = common.runDirectory("grid");
        Map<String, SweepPlan> plans = plans(directory);
        requireKnownCommands(plans);
        Map<String, SweepPlan> chosen = chosen(plans);
        if (common.dryRun) {
            report(directory, chosen, SweepMember::steps);
            return;
        }
        plans.values().forEach(SweepPlan::requireSame);
        if (planOnly) {
            chosen.values().forEach(SweepPlan::write);
            report(directory, chosen, member -> List.of(member.command()));
            return;
        }
        requireNone(MemberInputs.missing(tree(), plans, chosen));
        MemberGpus gpus = MemberGpus.of(VisibleGpus.ofThisBuild(), workers);
        try (RunDirectory run = begin(directory, plans)) {
            SweepReport report = run(directory, plans, chosen.keySet(), gpus);
            if (report.done() && report.tables().size() == plans.size()) {
                run.finish(Map.of("report", report.file().toString()));
            }
        }
    }

    @Command(
            name = "member",
            mixinStandardHelpOptions = true,
            description =
                    "Run one member of a planned sweep, as grid and the tasks of an array do, and save its results for "
                            + "grid gather. Started again after a stop or a kill, it resumes. Its exit code is "
                            + "that of its commands.",
            footer = "  ./prpf grid member runs/seeds 3")
    void member(
            @Parameters(index = "0", paramLabel = "DIR", description = "The sweep's folder, which holds sweep.json.")
                    Path directory,
            @Parameters(index = "1", paramLabel = "INDEX", description = "The member's index in the plan, from 0.")
                    int index) {
        SweepPlan plan = SweepPlan.read(directory);
        if (index < 0 || index >= plan.members().size()) {
            throw new UsageException("member " + index + " of " + directory + ", must be from 0 to "
                    + (plan.members().size() - 1));
        }
        new MemberRun(plan, plan.members().get(index), InThisProcess.of(spec)).run();
    }

    private Map<String, SweepPlan> plans(Path directory) {
        if (common.config != null) {
            return config(common.config).plans(common.config.toString(), directory, configs(), tree());
        }
        SweepPlan plan = SweepPlan.of(ofCommandLine(), command, directory, tree());
        return Map.of(ONE, plan.gathering(gather(metrics)));
    }

    private Map<String, SweepPlan> chosen(Map<String, SweepPlan> plans) {
        only.stream().filter(name -> !plans.containsKey(name)).findFirst().ifPresent(name -> {
            throw new UsageException(
                    "--only " + name + ": no sweep has that name" + Suggestion.hint(name, plans.keySet()));
        });
        Map<String, SweepPlan> chosen = new LinkedHashMap<>(plans);
        chosen.keySet().removeIf(name -> !only.isEmpty() && !only.contains(name));
        return chosen;
    }

    private static Path configs() {
        return Path.of(System.getProperty("prpf.root", ".")).resolve("configs");
    }

    private SweepConfig config(Path file) {
        if (!axes.isEmpty() || !command.isEmpty() || !metrics.isEmpty()) {
            throw new UsageException(
                    "--config defines axes, commands and metrics; leave out --sweep, --metric and the command,"
                            + " or write them into " + file);
        }
        return StrictYaml.read(file, SweepConfig.class, common.overrides);
    }

    private List<String> ofCommandLine() {
        if (!common.overrides.isEmpty() || !only.isEmpty()) {
            throw new UsageException(
                    "--set and --only need --config; write a" + " --set of the member's command after the --");
        }
        if (!command.isEmpty() && !common.arguments().contains(SweepPlan.THEN)) {
            throw new UsageException(
                    "the command " + Stage.typed(command) + " does not follow a --, so its options would"
                            + " be the sweep's; write ./prpf grid --sweep … -- " + command.get(0) + " …");
        }
        return axes;
    }

    private CommandLine tree() {
        if (tree == null) {
            tree = InThisProcess.of(spec).commandLine().get();
        }
        return tree;
    }

    /** Returns the settings for gathering with {@code --metric}. */
    static GatherSettings gather(List<String> metrics) {
        try {
            return new GatherSettings("", MetricSource.named(metrics), null);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--metric " + e.getMessage());
        }
    }

    /** Refuses words that their command does not know, before the first one runs. */
    private void requireKnownCommands(Map<String, SweepPlan> plans) {
        requireNone(plans.values().stream()
                .flatMap(plan -> plan.members().stream())
                .flatMap(member -> member.steps().stream())
                .map(step -> ParsedCommand.of(tree(), step))
                .filter(step -> step.problem() != null)
                .map(step -> step.problem() + ", in " + Stage.typed(step.words()))
                .collect(Collectors.toCollection(LinkedHashSet::new)));
    }

    private void requireNone(Set<String> refused) {
        if (!refused.isEmpty()) {
            String first = refused.stream().limit(3).collect(Collectors.joining("\n       "))
                    + (refused.size() > 3 ? "\n       and " + (refused.size() - 3) + " more" : "");
            throw common.config == null
                    ? new UsageException(first)
                    : new InvalidConfigurationException(common.config + ": " + first);
        }
    }

    private RunDirectory begin(Path directory, Map<String, SweepPlan> plans) {
        Map<String, Fact> facts = new LinkedHashMap<>();
        plans.forEach((name, one) -> facts.put(name, new Fact(one.axes(), one.commands())));
        RunDescription description = new RunDescription("grid", common.arguments(), "", Map.of("sweeps", facts));
        return RunDirectory.open(directory, common.resume, description);
    }

    /** Settings of a sweep that a resumed run must repeat. */
    private record Fact(List<Axis> axes, List<List<String>> commands) {}

    private SweepReport run(Path directory, Map<String, SweepPlan> plans, Set<String> chosen, MemberGpus gpus) {
        SweepReport report = new SweepReport(directory);
        Map<SweepMember, Integer> notDone = new LinkedHashMap<>();
        try (StopSignal stop = StopSignal.install()) {
            plans.forEach((name, plan) -> {
                if (chosen.contains(name)) {
                    plan.write();
                    if (notDone.isEmpty() && !stop.requested()) { // the next sweep may read the results of this one
                        System.err.println(
                                "sweep " + name + ": " + plan.members().size() + " members in " + plan.directory());
                        notDone.putAll(queue(plan, gpus).run(stop));
                    }
                }
                if (Files.exists(
                        SweepPlan.file(plan.directory()))) { // planned by this command line or by an earlier one
                    report.add(name, plan);
                }
            });
            report.write();
            requireNotStopped(directory, stop, report, notDone);
        }
        print(directory, report, common);
        requireAllDone(report, notDone);
        return report;
    }

    private MemberQueue queue(SweepPlan plan, MemberGpus gpus) {
        String main = spec.root().userObject().getClass().getName();
        return new MemberQueue(plan, workers, new JavaStarter(main, workers, gpus), MemberMemory.ofMachine());
    }

    private void requireNotStopped(
            Path directory, StopSignal stop, SweepReport report, Map<SweepMember, Integer> notDone) {
        if (!stop.requested() && !notDone.containsValue(ExitCode.CHECKPOINTED.status())) {
            return;
        }
        throw new RunInterruptedException(
                "stopped by a signal, " + report.progress() + " members are done; to resume the sweep: "
                        + ParsedCommand.resuming(tree(), common.arguments(), directory));
    }

    private static void requireAllDone(SweepReport report, Map<SweepMember, Integer> notDone) {
        if (notDone.isEmpty()) {
            return;
        }
        String failed = report.tables().values().stream()
                .flatMap(table -> table.members().stream())
                .filter(member -> member.state() != MemberState.DONE && member.state() != MemberState.WAITING)
                .map(SweepTable::sentence)
                .collect(Collectors.joining("\n       "));
        int status = notDone.values().iterator().next();
        throw ExitCode.failure(
                status,
                notDone.size() + (notDone.size() == 1 ? " member" : " members")
                        + " failed; the same command runs them again. The exit code is that of the first:\n       "
                        + failed);
    }

    private record Result(String run, String report, Map<String, SweepTable> sweeps) {}

    static void print(Path directory, SweepReport report, JsonOption output) {
        output.print(
                new Result(directory.toString(), report.file().toString(), report.tables()),
                () -> report.text().stripTrailing() + "\nreport: " + report.file());
    }

    /** The result that {@code --dry-run --json} and {@code --plan-only --json} print. */
    private record Plan(boolean dryRun, String run, Map<String, Map<String, List<String>>> sweeps) {}

    /** Prints the members' commands without running them. */
    private void report(
            Path directory, Map<String, SweepPlan> plans, Function<SweepMember, List<List<String>>> commands) {
        Map<String, Map<String, List<String>>> sweeps = new LinkedHashMap<>();
        plans.forEach((name, one) -> {
            Map<String, List<String>> members = new LinkedHashMap<>();
            one.members()
                    .forEach(member -> members.put(
                            member.name(),
                            commands.apply(member).stream().map(Stage::typed).toList()));
            sweeps.put(name, members);
        });
        common.printLines(new Plan(common.dryRun, directory.toString(), sweeps), () -> sweeps.values().stream()
                .flatMap(members -> members.values().stream())
                .flatMap(List::stream)
                .toList());
    }
}
