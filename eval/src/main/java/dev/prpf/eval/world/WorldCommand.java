package dev.prpf.eval.world;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.Language;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.data.synth.DaySynth;
import dev.prpf.data.world.AppDefinition;
import dev.prpf.data.world.scenario.PareScenario;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.data.world.scenario.ScenarioCheck;
import dev.prpf.data.world.scenario.ScenarioCheck.Checked;
import dev.prpf.data.world.scenario.ScenarioWorld;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements the command {@code prpf eval world}. */
@Command(
        name = "world",
        description = "Import, check and play scenarios: a phone, a user and an assistant, as data.",
        subcommands = {
            WorldCommand.Import.class,
            WorldCommand.Check.class,
            WorldCommand.Days.class,
            WorldCommand.Run.class
        })
public final class WorldCommand {
    private static void write(Path folder, Scenario scenario) {
        Path file = folder.resolve(scenario.scenario() + ".yaml");
        AtomicFiles.requireNew(file);
        AtomicFiles.writeText(file, scenario.write());
    }

    /** Implements the command {@code prpf eval world import}. */
    @Command(
            name = "import",
            description = "Convert scenarios of PARE to one YAML file each.",
            footer = "  ./prpf eval world import --out scenarios/ pare/*.json")
    static final class Import implements Runnable {
        @Option(names = "--out", required = true, paramLabel = "DIR", description = "Folder of the new files.")
        private Path out;

        @Parameters(arity = "1..*", paramLabel = "FILE", description = "Scenarios of PARE as JSON.")
        private List<Path> files;

        @Mixin
        private JsonOption output;

        /** The result that {@code --json} prints. */
        record Imported(int scenarios, String out) {}

        @Override
        public void run() {
            for (Path file : files) {
                write(out, PareScenario.read(file).toScenario());
            }
            Imported result = new Imported(files.size(), out.toString());
            output.print(result, () -> "wrote " + result.scenarios() + " scenarios to " + out);
        }
    }

    /** Implements the command {@code prpf eval world check}. */
    @Command(
            name = "check",
            description = {
                "Check scenarios: unknown names and arguments, events that can never happen, goals that cannot be met.",
                "Unless the scenario was imported, also play events, moves and expected calls once: none may fail.",
                "Exits with 65 if a scenario has a defect."
            },
            footer = "  ./prpf eval world check scenarios/*.yaml")
    static final class Check implements Runnable {
        @Parameters(arity = "1..*", paramLabel = "FILE", description = "Scenarios as YAML.")
        private List<Path> files;

        @Mixin
        private JsonOption output;

        /** The result that {@code --json} prints. */
        record Count(int scenarios) {}

        @Override
        public void run() {
            Count result = new Count(ScenarioCheck.read(files).size());
            output.print(result, () -> "checked " + result.scenarios() + " scenarios: no defect");
        }
    }

    /** Options of synthetic days; a mixin. */
    static final class DayOptions {
        @Option(names = "--days", paramLabel = "N", description = "Number of synthetic days of a phone.")
        private int count;

        @Option(names = "--days-seed", paramLabel = "S", defaultValue = "1", description = "Seed of the days.")
        private long seed;

        @Option(
                names = "--split",
                paramLabel = "NAME",
                defaultValue = "train",
                description = "Split: train, test or other; test has personas of its own (${DEFAULT-VALUE}).")
        private String split;

        @Option(
                names = "--lang",
                converter = Language.Option.class,
                paramLabel = "zh|en",
                description = "Language of the days (zh).")
        private Language language = Language.ZH;

        /** Returns the days, which are generated when they are read. */
        List<Checked> all() {
            DaySynth synth = new DaySynth(seed, split, language, ScenarioCatalogReader.shipped());
            Map<String, AppDefinition> phone = Map.of(ScenarioWorld.PHONE, AppDefinition.shipped("phone"));
            int size = count;
            return new AbstractList<>() {
                @Override
                public Checked get(int index) {
                    return new Checked(synth.day(Objects.checkIndex(index, size)), phone);
                }

                @Override
                public int size() {
                    return size;
                }
            };
        }
    }

    /** Implements the command {@code prpf eval world days}. */
    @Command(
            name = "days",
            description = {
                "Write synthetic days of a phone as scenarios: 40 samples of one persona each.",
                "A quarter of the samples has a goal with a window and the expected call; at the others silence is"
                        + " right."
            },
            footer = "  ./prpf eval world days --days 10 --split test --out days/")
    static final class Days implements Runnable {
        @Mixin
        private DayOptions days = new DayOptions();

        @Option(names = "--out", required = true, paramLabel = "DIR", description = "Folder of the new files.")
        private Path out;

        @Override
        public void run() {
            for (Checked day : days.all()) {
                write(out, day.scenario());
            }
            ResultStream.line("wrote " + days.count + " days to " + out);
        }
    }

    /** Implements the command {@code prpf eval world run}. */
    @Command(
            name = "run",
            description = {
                "Check scenarios, play them with a simulated user and an assistant, and write the episodes to one"
                        + " file.",
                "The same command after a stop resumes. Equal seeds give equal files, but for measured seconds."
            },
            footer = "  ./prpf eval world run --out episodes.jsonl --agent always scenarios/*.yaml")
    static final class Run implements Runnable {
        @Parameters(arity = "0..*", paramLabel = "FILE", description = "Scenarios; none with --days.")
        private List<Path> files = List.of();

        @Option(names = "--out", required = true, paramLabel = "FILE", description = "The file of episodes.")
        private Path out;

        @Option(
                names = "--turns",
                defaultValue = "day",
                description = "Order of acting: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
        private EpisodeRunner.TurnRule rule;

        @Mixin
        private PlayerOptions players = new PlayerOptions();

        @Mixin
        private DayOptions days = new DayOptions();

        @Option(names = "--runs", defaultValue = "1", description = "Episodes of each scenario (${DEFAULT-VALUE}).")
        private int runs;

        @Option(names = "--seed", defaultValue = "0", description = "Seed of the first episode (${DEFAULT-VALUE}).")
        private long seed;

        @Option(
                names = "--records",
                paramLabel = "FILE",
                description = "Also write the samples with the user's replies, as records for gate train --data.")
        private @Nullable Path records;

        @Option(names = "--threads", defaultValue = "1", description = "Episodes at a time (${DEFAULT-VALUE}).")
        private int threads;

        @Mixin
        private JsonOption output;

        /** The result that {@code --json} prints. */
        record Played(int episodes, int played, int failedEvents, String out) {}

        @Override
        public void run() {
            if (files.isEmpty() == (days.count == 0)) {
                throw new UsageException("give either files of scenarios or --days N");
            }
            if (runs < 1 || threads < 1 || days.count < 0) {
                throw new UsageException("--runs and --threads must be at least 1, and --days at least 0");
            }
            List<Checked> scenarios = files.isEmpty() ? days.all() : ScenarioCheck.read(files);
            try (StopSignal stop = StopSignal.install();
                    PlayerOptions.Players opened = players.open(out, stop)) {
                WorldRun run = new WorldRun(scenarios, runs, rule, opened.user(), opened.agent(), seed, threads);
                WorldRun.Played played = run.play(out, stop);
                if (records != null) {
                    run.writeRecords(out, records);
                }
                Played result = new Played(
                        scenarios.size() * run.runs(), played.episodes(), played.failedEvents(), out.toString());
                output.print(
                        result,
                        () -> "played " + result.played() + " episodes with " + result.failedEvents()
                                + " events that failed; " + out + " holds " + result.episodes());
            }
        }
    }
}
