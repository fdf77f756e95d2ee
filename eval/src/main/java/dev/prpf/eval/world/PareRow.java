package dev.prpf.eval.world;

import dev.prpf.base.config.EnumName;
import dev.prpf.base.report.Shown;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import dev.prpf.eval.suite.SuiteResult;
import dev.prpf.eval.world.EpisodeMetrics.Mode;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.commons.math3.stat.descriptive.moment.StandardDeviation;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of an assistant's episodes, in percent except reads and writes.
 *
 * @param mode the rules of counting, or the publication
 * @param n number of episodes
 * @param successAtK scenarios with any run right
 * @param successEveryRun scenarios with all runs right
 * @param success episodes that are right
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
        double[][] sums = scenarios.stream().map(PareRow::sums).toArray(double[][]::new);
        List<@Nullable Interval> intervals = Bootstrap.DEFAULT.ofGroups(sums.length, times -> ratios(sums, times));
        double[] whole = ratios(new double[][] {sums(each)}, new int[] {1});
        double[][] byRun = IntStream.range(0, runs)
                .mapToObj(
                        run -> sums(scenarios.stream().map(one -> one.get(run)).toList()))
                .map(run -> ratios(new double[][] {run}, new int[] {1}))
                .toArray(double[][]::new);
        List<Figure> figures = IntStream.range(0, whole.length)
                .mapToObj(i -> figure(whole[i], sem(byRun, i), intervals.get(i), i == READS ? 0 : sums.length))
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
    private static Figure figure(double value, double sem, @Nullable Interval ci, int units) {
        Interval exact = units == 0 ? ci : Bootstrap.DEFAULT.orExact(ci, orNull(value), units);
        return new Figure(orNull(value), orNull(sem), exact);
    }

    /** Returns NaN for one run. */
    private static double sem(double[][] byRun, int figure) {
        double[] values = Arrays.stream(byRun).mapToDouble(run -> run[figure]).toArray();
        return values.length == 1 ? Double.NaN : new StandardDeviation().evaluate(values) / Math.sqrt(values.length);
    }

    /** Returns numerators and denominators of success, proposals per turn, accepted proposals and reads. */
    private static double[] sums(List<EpisodeMetrics> each) {
        double[] sums = new double[2 * (READS + 1)];
        for (EpisodeMetrics one : each) {
            Integer reads = one.reads();
            double[] parts = {
                right(one) ? 100 : 0,
                1,
                100.0 * one.proposals(),
                one.turns(),
                100.0 * one.accepted(),
                one.proposals(),
                reads == null ? Double.NaN : reads,
                1
            };
            Arrays.setAll(sums, i -> sums[i] + parts[i]);
        }
        return sums;
    }

    /** Returns the ratios of weighted sums; NaN without a denominator. */
    private static double[] ratios(double[][] sums, int[] times) {
        double[] ratios = new double[READS + 1];
        for (int figure = 0; figure < ratios.length; figure++) {
            double part = 0;
            double whole = 0;
            for (int i = 0; i < times.length; i++) {
                part += times[i] * sums[i][2 * figure];
                whole += times[i] * sums[i][2 * figure + 1];
            }
            ratios[figure] = part / whole; // NaN for 0 of 0
        }
        return ratios;
    }

    private static @Nullable Double orNull(double value) {
        return Double.isNaN(value) ? null : (Double) value;
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
