package dev.prpf.eval.world;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.world.scenario.PareScenario;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.data.world.scenario.ScenarioCheck;
import dev.prpf.par.agent.Agents;
import dev.prpf.par.agent.Users;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements the command {@code prpf eval world}. */
@Command(
        name = "world",
        description = "Import, check and play scenarios: a phone, a user and an assistant, as data.",
        subcommands = {WorldCommand.Import.class, WorldCommand.Check.class, WorldCommand.Run.class})
public final class WorldCommand {
    /** Implements the command {@code prpf eval world import}. */
    @Command(
            name = "import",
            description = "Convert scenarios of PARE to one YAML file each.",
            footer = {"", "Example:", "  ./prpf eval world import --out scenarios/ pare/*.json"})
    static final class Import implements Runnable {
        @Option(names = "--out", required = true, paramLabel = "DIR", description = "Folder of the new files.")
        private Path out;

        @Parameters(arity = "1..*", paramLabel = "FILE", description = "Scenarios of PARE as JSON.")
        private List<Path> files;

        @Mixin
        private JsonOption output;

        /** The result that {@code --json} prints. */
        record Result(int scenarios, String out) {}

        @Override
        public void run() {
            for (Path file : files) {
                Scenario scenario = PareScenario.read(file).toScenario();
                Path written = out.resolve(scenario.scenario() + ".yaml");
                AtomicFiles.requireNew(written);
                AtomicFiles.writeText(written, scenario.write());
            }
            Result result = new Result(files.size(), out.toString());
            output.print(result, () -> "wrote " + result.scenarios() + " scenarios to " + out);
        }
    }

    /** Implements the command {@code prpf eval world check}. */
    @Command(
            name = "check",
            description = {
                "Check scenarios: unknown names and arguments, events that can never happen, goals that cannot be met.",
                "Then play events, moves and expected calls once, unless the scenario was imported: none may fail.",
                "Exits with 65 if a scenario has a defect."
            },
            footer = {"", "Example:", "  ./prpf eval world check scenarios/*.yaml"})
    static final class Check implements Runnable {
        @Parameters(arity = "1..*", paramLabel = "FILE", description = "Scenarios as YAML.")
        private List<Path> files;

        @Mixin
        private JsonOption output;

        /** The result that {@code --json} prints. */
        record Result(int scenarios) {}

        @Override
        public void run() {
            Result result = new Result(ScenarioCheck.read(files).size());
            output.print(result, () -> "checked " + result.scenarios() + " scenarios: no defect");
        }
    }

    /** Implements the command {@code prpf eval world run}. */
    @Command(
            name = "run",
            description = {
                "Check scenarios, play them with a simulated user and an assistant, and write the episodes to one file.",
                "The same command after a stop resumes. Equal seeds give equal files."
            },
            footer = {"", "Example:", "  ./prpf eval world run --out episodes.jsonl --agent always scenarios/*.yaml"})
    static final class Run implements Runnable {
        @Parameters(arity = "1..*", paramLabel = "FILE", description = "Scenarios.")
        private List<Path> files;

        @Option(names = "--out", required = true, paramLabel = "FILE", description = "The file of episodes.")
        private Path out;

        @Option(
                names = "--turns",
                defaultValue = "pare",
                description = "Who acts when: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
        private EpisodeRunner.TurnRule rule;

        @Option(
                names = "--user",
                defaultValue = "scripted",
                description = "The user: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
        private Users user;

        @Option(
                names = "--agent",
                defaultValue = "expected",
                description = "The assistant: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
        private Agents agent;

        @Option(names = "--runs", defaultValue = "1", description = "Episodes of each scenario (${DEFAULT-VALUE}).")
        private int runs;

        @Option(names = "--seed", defaultValue = "0", description = "Seed of the first episode (${DEFAULT-VALUE}).")
        private long seed;

        @Option(names = "--threads", defaultValue = "1", description = "Episodes at a time (${DEFAULT-VALUE}).")
        private int threads;

        @Mixin
        private JsonOption output;

        /** The result that {@code --json} prints. */
        record Result(int episodes, int played, int failedEvents, String out) {}

        @Override
        public void run() {
            WorldRun run = new WorldRun(
                    ScenarioCheck.read(files), Math.max(1, runs), rule, user, agent, seed, Math.max(1, threads));
            try (StopSignal stop = StopSignal.install()) {
                WorldRun.Played played = run.play(out, stop);
                Result result =
                        new Result(files.size() * run.runs(), played.episodes(), played.failedEvents(), out.toString());
                output.print(
                        result,
                        () -> "played " + result.played() + " episodes with " + result.failedEvents()
                                + " events that failed; " + out + " holds " + result.episodes());
            }
        }
    }
}
