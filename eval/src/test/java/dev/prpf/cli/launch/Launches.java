package dev.prpf.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.command.RunOptions;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.workflow.Stage;
import dev.prpf.cli.launch.LaunchFolder.Launch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shared fixtures of launch tests: a small command line, and the shipped configuration. */
final class Launches {
    static final Path CONFIGS = Path.of(System.getProperty("prpf.root", ".."))
            .resolve("configs/launch")
            .toAbsolutePath();
    static final Supplier<CommandLine> COMMANDS =
            () -> new CommandLine(new Root()).setCaseInsensitiveEnumValuesAllowed(true);

    private Launches() {}

    @Command(
            name = "prpf",
            subcommands = {EvalGroup.class, MppGroup.class})
    static final class Root {
        @Command(name = "train")
        int train(@Mixin RunOptions options, @Option(names = "--data", required = true) String data) {
            return 0;
        }
    }

    @Command(name = "eval")
    static final class EvalGroup {
        @Command(name = "run")
        int run(
                @Option(names = "--data") String data,
                @Option(names = "--shard") String shard,
                @Option(names = "--out", required = true) String out) {
            return 0;
        }
    }

    @Command(name = "gate")
    static final class MppGroup {
        @Command(name = "train")
        int train(@Mixin RunOptions options) {
            return 0;
        }
    }

    static LaunchedCommand command(String... words) {
        return LaunchedCommand.parse(COMMANDS.get(), List.of(words));
    }

    static LaunchConfig config(String... overrides) {
        return StrictYaml.read(CONFIGS.resolve("job.yaml"), LaunchConfig.class, List.of(overrides));
    }

    static Launch launch(Target to, List<String> members) {
        return new Launch(
                to,
                "train-1",
                null,
                to == Target.KUBERNETES ? "space" : null,
                2,
                members,
                null,
                "2026-01-01T00:00:00Z");
    }

    /**
     * Renders a job file with a script as {@code prpf}.
     *
     * @param to the template's scheduler
     */
    static String job(Target to, Path folder, Path prpf, LaunchPlan plan, LaunchConfig config) {
        String text = new JobFile("train-1", folder, plan, config, false).render(to, null);
        String shipped = to == Target.KUBERNETES
                ? "/opt/prpf/prpf"
                : JobFile.root().resolve("prpf").toString();
        return text.replace("prpf=" + Stage.quoted(shipped), "prpf=" + Stage.quoted(prpf.toString()));
    }

    /** Waits until it holds; a machine may be slow. */
    static void await(String what, BooleanSupplier holds) {
        long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waited two minutes until " + what).isLessThan(end);
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }
}
