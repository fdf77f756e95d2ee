package dev.prpf.eval.world;

import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.Resource;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.report.Shown;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.data.world.scenario.ScenarioCheck;
import dev.prpf.eval.suite.Suite;
import dev.prpf.eval.suite.SuiteResult;
import dev.prpf.eval.suite.SuiteResult.SuiteTable;
import dev.prpf.eval.world.EpisodeMetrics.Mode;
import dev.prpf.par.agent.Agents;
import dev.prpf.par.agent.Users;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.math3.stat.descriptive.moment.StandardDeviation;
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
     * @param any scenarios that succeed in at least one of four runs
     * @param every scenarios that succeed in all four runs
     * @param right runs that succeed
     * @param accept accepted proposals without a call of the user before, in percent; null outside of Table 2
     * @param gather proposals with a call of the user before the reply, in percent
     * @param gatherAccept proposals of {@code gather} that the user accepted, in percent
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
            PareRow.Figure success,
            PareRow.Figure proposals,
            PareRow.Figure accepted,
            PareRow.Figure reads,
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
                    new PareRow.Figure(right * percent / RUNS, success.sem(), null),
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
        int runs = options.runs;
        if (runs < 1) {
            throw new UsageException("--runs = " + runs + ", must be at least 1");
        }
        List<PareRow> rows = new ArrayList<>();
        for (Agents agent : options.agents) {
            WorldRun play = new WorldRun(scenarios, runs, EpisodeRunner.TurnRule.PARE, options.user, agent, 0, 1);
            played(play)
                    .forEach((mode, each) ->
                            rows.add(PareRow.of(EnumName.of(agent), mode, rows.size() == 1, runs, each)));
        }
        return new SuiteResult(
                name(),
                null,
                null,
                new SuiteTable("our assistants, user " + EnumName.of(options.user), scenarios.size(), rows),
                published(),
                List.of(),
                notes(runs));
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
                "± is PARE's standard error over " + runs + " runs; success@k counts scenarios with a successful run,"
                        + " success^k scenarios in which all runs succeed."));
        for (Published row : Published.all()) {
            Double implied = row.impliedAcceptance();
            Double printed = row.accepted().value();
            if (implied != null && printed != null && Math.abs(implied - printed) > TOLERANCE) {
                notes.add(String.format(
                        Locale.ROOT,
                        "For %s, PARE's Tables 2 and 3 give an acceptance rate of %s %%, but Table 1 prints %s %%.",
                        row.name(),
                        Shown.number(implied, "%.1f"),
                        Shown.number(printed, "%.1f")));
            }
        }
        return notes;
    }

    /**
     * The metrics of an assistant's episodes, in percent except reads and writes.
     *
     * @param mode the rules of counting, or the publication
     * @param n number of episodes
     * @param successAtK scenarios with at least one successful run
     * @param successEveryRun scenarios in which all runs succeed
     * @param success successful episodes
     * @param proposals proposals per turn
     * @param accepted accepted proposals
     * @param reads reading calls per episode
     * @param writes writing calls of the assistant per episode
     */
    record PareRow(
            String name,
            String mode,
            boolean primary,
            int n,
            @Nullable Double successAtK,
            @Nullable Double successEveryRun,
            Figure success,
            Figure proposals,
            Figure accepted,
            Figure reads,
            @Nullable Double writes)
            implements SuiteResult.Row {
        /**
         * A ratio over all episodes.
         *
         * @param value null if its denominator is 0
         * @param sem standard deviation over the runs / sqrt(runs), as PARE; null for one run
         * @param ci 95 % bootstrap interval over whole scenarios, or null
         */
        record Figure(@Nullable Double value, @Nullable Double sem, @Nullable Interval ci) {
            @Override
            public String toString() {
                return Shown.number(value, "%.1f")
                        + (sem == null ? "" : " ± " + Shown.number(sem, "%.1f"))
                        + Shown.bracketed(ci, "%.1f");
            }
        }

        private static final int READS = 3; // position among the ratios
        private static final List<String> COLUMNS = List.of(
                "assistant",
                "mode",
                "n",
                "success@k",
                "success^k",
                "success",
                "proposals a turn",
                "accepted",
                "reads",
                "writes");

        /** @param each the episodes by scenario, then by run */
        static PareRow of(String name, Mode mode, boolean primary, int runs, List<EpisodeMetrics> each) {
            List<List<EpisodeMetrics>> scenarios = IntStream.range(0, each.size() / runs)
                    .mapToObj(i -> each.subList(i * runs, (i + 1) * runs))
                    .toList();
            List<EpisodeScore.Figure> all = EpisodeScore.Ratio.figures(EpisodeScore.RATIOS, scenarios);
            double[][] byRun = IntStream.range(0, runs)
                    .mapToObj(run -> EpisodeScore.Ratio.values(
                            EpisodeScore.RATIOS,
                            scenarios.stream().map(one -> one.get(run)).toList()))
                    .toArray(double[][]::new);
            List<Figure> figures = IntStream.range(0, all.size())
                    .mapToObj(i -> figure(all.get(i), sem(byRun, i), i == READS ? 0 : scenarios.size()))
                    .toList();
            return new PareRow(
                    name,
                    EnumName.of(mode),
                    primary,
                    each.size(),
                    share(
                            scenarios.stream()
                                    .filter(one -> one.stream().anyMatch(PareRow::right))
                                    .count(),
                            scenarios.size()),
                    share(
                            scenarios.stream()
                                    .filter(one -> one.stream().allMatch(PareRow::right))
                                    .count(),
                            scenarios.size()),
                    figures.get(0),
                    figures.get(1),
                    figures.get(2),
                    figures.get(3),
                    each.stream().collect(Collectors.averagingDouble(EpisodeMetrics::writes)));
        }

        private static double share(long part, int whole) {
            return 100.0 * part / whole;
        }

        private static boolean right(EpisodeMetrics metrics) {
            return Boolean.TRUE.equals(metrics.verdict());
        }

        /** @param units scenarios of an interval of percentages; 0 for another figure */
        private static Figure figure(EpisodeScore.Figure all, double sem, int units) {
            Interval exact =
                    units == 0 ? all.interval() : Bootstrap.DEFAULT.orExact(all.interval(), all.value(), units);
            return new Figure(all.value(), EpisodeScore.Ratio.orNull(sem), exact);
        }

        /** Returns NaN for one run. */
        private static double sem(double[][] byRun, int figure) {
            double[] values =
                    Arrays.stream(byRun).mapToDouble(run -> run[figure]).toArray();
            return values.length == 1
                    ? Double.NaN
                    : new StandardDeviation().evaluate(values) / Math.sqrt(values.length);
        }

        @Override
        public List<String> columns() {
            return COLUMNS;
        }

        @Override
        public List<String> cells() {
            return List.of(
                    name,
                    mode,
                    Integer.toString(n),
                    Shown.number(successAtK, "%.1f"),
                    Shown.number(successEveryRun, "%.1f"),
                    success.toString(),
                    proposals.toString(),
                    accepted.toString(),
                    reads.toString(),
                    Shown.number(writes, "%.2f"));
        }
    }
}
