package dev.prpf.cli.launch;

import dev.prpf.base.command.ConfigOptions;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.workflow.InThisProcess;
import dev.prpf.base.workflow.ParsedCommand;
import dev.prpf.cli.launch.LaunchFolder.Launch;
import dev.prpf.cli.sweep.SweepPlan;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Implements the command {@code prpf launch}. */
@Command(
        name = "launch",
        description = {
            "Run a command as a job of Slurm or Kubernetes, or in the background here.",
            "It saves before its time limit and resumes in a new job. As an array: eval run with --shards, any "
                    + "command with --sweep. The resources of a job: configs/launch/job.yaml."
        },
        footer = {
            "",
            "Examples:",
            "  ./prpf launch --to slurm --gpus 1 --time 08:00:00 -- reasoner sft --config configs/reasoner-sft.yaml \\",
            "      --reasoner runs/base --data train.json --pool function_pool.json --images DIR",
            "  ./prpf launch --to kubernetes --shards 8 --nodes 4 --dry-run -- eval run --data test.json … --out all/predictions.jsonl",
            "  ./prpf launch --to slurm --sweep training.seed=42..46 -- gate train --config configs/gate.yaml --data train.json",
            "  ./prpf launch status runs/launch-reasoner-sft-20260101-120000"
        })
public final class LaunchCommand implements Runnable {
    private static final String FOLDER = "The launch's folder.";
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT);
    /** A Job's name and the suffix that Kubernetes adds for pods have at most 63 characters. */
    private static final int LONGEST_NAME = 35;

    /** Command-line programs of schedulers. */
    private final Programs programs;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ConfigOptions options;

    @Option(
            names = "--to",
            paramLabel = "WHERE",
            converter = Target.Option.class,
            description = "slurm, kubernetes or local (in the background of this machine).")
    private @Nullable Target to;

    @Option(names = "--name", paramLabel = "NAME", description = "Name of the job (default: the command's).")
    private @Nullable String name;

    @Option(
            names = "--launch-dir",
            paramLabel = "DIR",
            description = "Folder of the job file, states and logs (default: runs/launch-<name>-<time>).")
    private @Nullable Path folder;

    @Option(names = "--template", paramLabel = "FILE", description = "A job file of your own; see configs/launch/.")
    private @Nullable Path template;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description = "Number of members that run at a time (nodes of the configuration).")
    private @Nullable Integer nodes;

    @Option(names = "--gpus", paramLabel = "N", description = "GPUs of a member (gpus of the configuration).")
    private @Nullable Integer gpus;

    @Option(names = "--cpus", paramLabel = "N", description = "CPU cores of a member (cpus of the configuration).")
    private @Nullable Integer cpus;

    @Option(
            names = "--memory",
            paramLabel = "GIB",
            description = "Memory of a member (memory-gib of the configuration).")
    private @Nullable Integer memory;

    @Option(
            names = "--time",
            paramLabel = "[D-]HH:MM:SS",
            description = "Time limit of a member (time of the configuration).")
    private @Nullable String time;

    @Option(
            names = "--shards",
            paramLabel = "N",
            description = "Run eval run as an array, a member for each shard; merge them at the end.")
    private @Nullable Integer shards;

    @Option(
            names = "--sweep",
            paramLabel = "KEY=VALUES",
            description =
                    "An axis of a sweep, as in prpf grid (repeatable): an array with a member for each combination of "
                            + "values. Gather them at the end.")
    private List<String> axes = List.of();

    @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "A prpf command, after --.")
    private List<String> command = List.of();

    public LaunchCommand() {
        this(Programs.ofEnvironment());
    }

    LaunchCommand(Programs programs) {
        this.programs = programs;
    }

    @Command(
            name = "status",
            mixinStandardHelpOptions = true,
            description = "Show the state of each member of a launch, and the next command once all are done.",
            footer = "  ./prpf launch status runs/launch-eval-run-20260101-120000")
    void status(@Parameters(paramLabel = "DIR", description = FOLDER) Path launch, @Mixin JsonOption output) {
        job(launch).printStatus(output);
    }

    @Command(
            name = "logs",
            mixinStandardHelpOptions = true,
            description = "Print the logs of a launch's members; Ctrl-C ends the output, not the members.",
            footer = "  ./prpf launch logs --follow --member 0 runs/launch-reasoner-sft-20260101-120000")
    void logs(
            @Parameters(paramLabel = "DIR", description = FOLDER) Path launch,
            @Option(names = "--member", paramLabel = "N", description = "One member only, from 0 (default: all).")
                    @Nullable
                    Integer member,
            @Option(names = "--follow", description = "Follow the logs until every member has ended.") boolean follow) {
        job(launch).printLogs(member, follow);
    }

    @Command(
            name = "cancel",
            mixinStandardHelpOptions = true,
            description = "Cancel a launch: running members save and exit, waiting members do not start.",
            footer = "  ./prpf launch cancel runs/launch-reasoner-sft-20260101-120000")
    void cancel(@Parameters(paramLabel = "DIR", description = FOLDER) Path launch, @Mixin JsonOption output) {
        job(launch).cancel(output);
    }

    @Command(
            name = "resume",
            mixinStandardHelpOptions = true,
            description = "Submit the unfinished members of a launch again; each resumes in its run directory.",
            footer = "  ./prpf launch resume runs/launch-eval-run-20260101-120000")
    void resume(@Parameters(paramLabel = "DIR", description = FOLDER) Path launch, @Mixin JsonOption output) {
        job(launch).resume(output);
    }

    private LaunchedJob job(Path launch) {
        return new LaunchedJob(launch, LaunchFolder.read(launch), programs);
    }

    /** The result that {@code --dry-run --json} prints. */
    record Plan(boolean dryRun, Target to, String name, List<String> members, String job, @Nullable String then) {}

    /**
     * The command to run.
     *
     * @param sweep the sweep of the members; null for a command or its shards
     */
    private record Work(
            String job, Path directory, LaunchPlan plan, @Nullable SweepPlan sweep, List<LaunchedCommand> commands) {}

    @Override
    public void run() {
        if (to == null) {
            throw new UsageException("launch needs --to slurm, --to kubernetes or --to local");
        }
        LaunchConfig config = config();
        Work work = axes.isEmpty() ? command(to) : sweep(to);
        LaunchPlan plan = work.plan;
        String job = work.job;
        boolean perceiverOnGpu = work.commands.stream().anyMatch(LaunchedCommand::perceiverOnGpu);
        String text = new JobFile(job, work.directory, plan, config, perceiverOnGpu).render(to, template);
        if (options.dryRun) {
            printPlan(new Plan(true, to, job, plan.lines(), text, plan.then()));
            return;
        }
        String namespace = to == Target.KUBERNETES ? config.kubernetes().namespace() : null;
        String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        Launch launch = new Launch(to, job, null, namespace, config.nodes(), plan.lines(), plan.then(), now);
        LaunchFolder created = LaunchFolder.create(work.directory, launch, text);
        if (work.sweep != null) {
            work.sweep.write();
        }
        new LaunchedJob(work.directory, created, programs).submit(created.all(), options);
    }

    private Work command(Target target) {
        LaunchedCommand one = read(target, List.of(command)).get(0);
        String job = jobName(one.parsed().name());
        Path directory = directory(job);
        Path runDirectory = target == Target.KUBERNETES ? Path.of(job) : directory.resolve("run");
        return new Work(job, directory, plan(one.parsed(), runDirectory), null, List.of(one));
    }

    private Work sweep(Target target) {
        if (target == Target.KUBERNETES || shards != null) {
            throw new UsageException(
                    target == Target.KUBERNETES
                            ? "--sweep works with --to slurm and --to local, which share the launch's folder; for Kubernetes write"
                                    + " the plan into its claim with ./prpf grid --plan-only and launch what that prints"
                            : "--shards and --sweep exclude each other; give one");
        }
        String job = jobName("sweep");
        Path directory = directory(job);
        SweepPlan sweep = SweepPlan.of(axes, command, directory.resolve("sweep"), tree());
        LaunchPlan plan = LaunchPlan.sweep(sweep);
        List<List<String>> steps = sweep.members().stream()
                .flatMap(member -> member.steps().stream())
                .toList();
        return new Work(job, directory, plan, sweep, read(target, steps));
    }

    private CommandLine tree() {
        return InThisProcess.of(spec).commandLine().get();
    }

    private Path directory(String job) {
        return Objects.requireNonNullElse(folder, Path.of("runs", "launch-" + job))
                .toAbsolutePath()
                .normalize();
    }

    /** Parses commands; each must be resumable and have an existing configuration. */
    private List<LaunchedCommand> read(Target target, List<List<String>> typed) {
        CommandLine tree = tree();
        List<LaunchedCommand> parsed =
                typed.stream().map(words -> LaunchedCommand.parse(tree, words)).toList();
        parsed.forEach(LaunchedCommand::requireResumable);
        if (target != Target.KUBERNETES) {
            parsed.forEach(LaunchedCommand::requireConfiguration);
        }
        return parsed;
    }

    private LaunchConfig config() {
        List<String> overrides = new ArrayList<>(options.overrides);
        add(overrides, "nodes", nodes);
        add(overrides, "gpus", gpus);
        add(overrides, "cpus", cpus);
        add(overrides, "memory-gib", memory);
        add(overrides, "time", time == null ? null : "\"" + time + "\"");
        Path file = options.config == null ? JobFile.root().resolve("configs/launch/job.yaml") : options.config;
        return StrictYaml.read(file, LaunchConfig.class, overrides);
    }

    private static void add(List<String> overrides, String key, @Nullable Object value) {
        if (value != null) {
            overrides.add(key + "=" + value);
        }
    }

    private String jobName(String otherwise) {
        String plain = Objects.requireNonNullElse(name, otherwise)
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9]+", "-")
                .replaceAll("^-|-$", "");
        if (plain.isEmpty() || plain.length() > LONGEST_NAME) {
            throw new UsageException(
                    "--name = " + name + ", must have letters or digits, and at most " + LONGEST_NAME + " of them");
        }
        return plain + "-" + STAMP.format(LocalDateTime.now(ZoneId.systemDefault()));
    }

    private LaunchPlan plan(ParsedCommand parsed, Path runDirectory) {
        if (shards == null) {
            return LaunchPlan.of(parsed, runDirectory.toString());
        }
        if (shards < 1) {
            throw new UsageException("--shards = " + shards + ", must be 1 or more");
        }
        return LaunchPlan.shards(parsed, shards);
    }

    private void printPlan(Plan plan) {
        if (options.json) {
            ResultStream.json(plan);
        } else {
            ResultStream.text(plan.job());
        }
    }
}
