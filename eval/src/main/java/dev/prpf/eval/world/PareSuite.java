package dev.prpf.eval.world;

import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.Resource;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.report.Shown;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.data.world.scenario.ScenarioCheck;
import dev.prpf.eval.suite.Suite;
import dev.prpf.eval.suite.SuiteResult;
import dev.prpf.eval.suite.SuiteResult.SuiteTable;
import dev.prpf.eval.world.EpisodeMetrics.Mode;
import dev.prpf.eval.world.PareRow.Figure;
import dev.prpf.par.agent.Agents;
import dev.prpf.par.agent.Users;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * PARE (arXiv 2604.00842): plays imported scenarios with assistants of this project, and shows the published tables next to them. The
 * users, the clock and the content of offers differ from PARE's, so no row of ours is comparable with a published one.
 */
public final class PareSuite implements Suite {
    private static final String PUBLISHED = "pare-published.jsonl";
    private static final double TOLERANCE = 1.5; // of acceptance rates that two tables give, in points

    /** Options of the played episodes; a mixin. */
    public static final class PlayOptions implements SuiteOptions {
        @Option(
                names = "--agent",
                split = ",",
                paramLabel = "NAME",
                defaultValue = "expected,always,cues,backoff,random,silent",
                description = "Episodes: the assistants, the primary one first (default: ${DEFAULT-VALUE}).")
        private List<Agents> agents;

        @Option(
                names = "--user",
                defaultValue = "scripted",
                description = "Episodes: the user: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
        private Users user;

        @Option(
                names = "--runs",
                defaultValue = "4",
                paramLabel = "N",
                description = "Episodes: runs of each scenario (default: ${DEFAULT-VALUE}, as PARE).")
        private int runs;

        @Override
        public String kind() {
            return "suites of episodes";
        }
    }

    /**
     * A published row with the counts that give its first three figures.
     *
     * @param user the model of the user
     * @param any scenarios that succeed in any of four runs
     * @param every scenarios that succeed in all runs
     * @param right runs that succeed
     * @param accept accepted proposals without a call of the user before, in percent; null outside of Table 2
     * @param gather proposals with a call of the user before the reply, in percent
     * @param gatherAccept those of {@code gather} that the user accepted, in percent
     */
    record Published(
            String user,
            String name,
            int scenarios,
            int any,
            int every,
            int right,
            double successAtK,
            double successEveryRun,
            Figure success,
            Figure proposals,
            Figure accepted,
            Figure reads,
            @Nullable Double accept,
            @Nullable Double gather,
            @Nullable Double gatherAccept) {
        static final int RUNS = 4;

        static List<Published> all() {
            return Resource.text(PareSuite.class, PUBLISHED)
                    .lines()
                    .map(line -> JsonRecords.read(PUBLISHED, "published row", line, Published.class))
                    .toList();
        }

        PareRow row() {
            double percent = 100.0 / scenarios;
            return new PareRow(
                    name,
                    "published, user " + user,
                    false,
                    scenarios * RUNS,
                    any * percent,
                    every * percent,
                    new Figure(right * percent / RUNS, success.sem(), null),
                    proposals,
                    accepted,
                    reads,
                    null);
        }

        /** Returns the acceptance rate that Tables 2 and 3 give; null outside of Table 1. */
        @Nullable
        Double impliedAcceptance() {
            return accept == null || gather == null || gatherAccept == null
                    ? null
                    : (Double) (accept + gather * gatherAccept / 100);
        }
    }

    @Override
    public String name() {
        return "pare";
    }

    @Override
    public String about() {
        return "does the assistant help in PARE's worlds? scenarios that eval world import wrote";
    }

    @Override
    public DataSource source() {
        return new DataSource("deepakn97/pare", "b5af3dab", "MIT");
    }

    @Override
    public String place() {
        return "pare/scenarios";
    }

    @Override
    public SuiteResult score(SuiteRun run) {
        PlayOptions options = run.options(this, PlayOptions.class);
        List<ScenarioCheck.Checked> scenarios =
                ScenarioCheck.read(scenarios(run.data(this).root()));
        List<PareRow> rows = new ArrayList<>();
        for (Agents agent : options.agents) {
            WorldRun play = new WorldRun(
                    scenarios, Math.max(1, options.runs), EpisodeRunner.TurnRule.PARE, options.user, agent, 0, 1);
            played(play)
                    .forEach((mode, each) ->
                            rows.add(PareRow.of(EnumName.of(agent), mode, rows.size() == 1, play.runs(), each)));
        }
        return new SuiteResult(
                name(),
                null,
                null,
                new SuiteTable("our assistants, user " + EnumName.of(options.user), scenarios.size(), rows),
                published(),
                List.of(),
                notes(Math.max(1, options.runs)));
    }

    /** Returns the scenarios of a folder, which may hold definitions of apps too. */
    private static List<Path> scenarios(Path folder) {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> all = Files.isDirectory(folder) ? Files.list(folder) : Stream.of()) {
            for (Path file :
                    all.filter(one -> one.toString().endsWith(".yaml")).sorted().toList()) {
                if (Files.readString(file).lines().anyMatch(line -> line.startsWith("scenario:"))) {
                    files.add(file);
                }
            }
        } catch (IOException e) {
            throw IoFailure.reading(folder, e);
        }
        if (files.isEmpty()) {
            throw new UnavailableException(folder + " holds no scenario (.yaml); write scenarios with `prpf eval world"
                    + " import --out DIR FILE.json...` and name DIR with --data");
        }
        return files;
    }

    /** Plays all episodes on all processors. Returns their metrics by mode, in order. */
    private static Map<Mode, List<EpisodeMetrics>> played(WorldRun run) {
        List<Map<Mode, EpisodeMetrics>> each = IntStream.range(
                        0, run.scenarios().size() * run.runs())
                .parallel()
                .mapToObj(number ->
                        metrics(run.scenarios().get(number / run.runs()).scenario(), run.play(number)))
                .toList();
        Map<Mode, List<EpisodeMetrics>> modes = new EnumMap<>(Mode.class);
        for (Mode mode : Mode.values()) {
            modes.put(mode, each.stream().map(metrics -> metrics.get(mode)).toList());
        }
        return modes;
    }

    private static Map<Mode, EpisodeMetrics> metrics(Scenario scenario, Episode episode) {
        Map<Mode, EpisodeMetrics> metrics = new EnumMap<>(Mode.class);
        for (Mode mode : Mode.values()) {
            boolean right = EpisodeCheck.faults(scenario, episode, mode).isEmpty();
            metrics.put(mode, EpisodeMetrics.of(episode, mode, right));
        }
        return metrics;
    }

    private static List<SuiteTable> published() {
        List<Published> all = Published.all();
        int whole = all.get(0).scenarios();
        return Stream.of(whole, all.get(all.size() - 1).scenarios())
                .map(n -> new SuiteTable(
                        n == whole ? "published, PARE Table 1" : "published, PARE Table 4",
                        n,
                        all.stream()
                                .filter(row -> row.scenarios() == n)
                                .map(Published::row)
                                .toList()))
                .toList();
    }

    /** Returns notes for readers, with each published row that two tables contradict. */
    static List<String> notes(int runs) {
        List<String> notes = new ArrayList<>(List.of(
                "No row of ours is comparable with a published one: our user follows a script or rules, our clock is"
                        + " virtual, and our assistants take the content of offers from the expected run.",
                "± is PARE's standard error over " + runs + " runs; success@k counts scenarios with any run right,"
                        + " success^k those with all runs right."));
        for (Published row : Published.all()) {
            Double implied = row.impliedAcceptance();
            Double printed = row.accepted().value();
            if (implied != null && printed != null && Math.abs(implied - printed) > TOLERANCE) {
                notes.add(String.format(
                        Locale.ROOT,
                        "PARE's Tables 2 and 3 give %s an acceptance rate of %s %%, its Table 1 prints %s %%.",
                        row.name(),
                        Shown.number(implied, "%.1f"),
                        Shown.number(printed, "%.1f")));
            }
        }
        return notes;
    }
}
