package dev.prpf.eval.judge;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Agreement of two judges on the same samples; the output of {@code eval judges --json}.
 *
 * @param n samples that both decided on; everything but {@code abstained} is over these
 * @param abstained samples on which at least one judge abstained
 * @param agreement share of equal verdicts, in percent; null where n is 0
 * @param kappa Cohen's kappa (A Coefficient of Agreement for Nominal Scales, 1960), (p_o - p_e) / (1 - p_e), in [-1, 1]. Null if n is 0 or p_e
 *     is 1: both judges give every sample the same verdict
 * @param interval bootstrap interval of kappa, over samples; null if kappa is null
 * @param confusion number of samples by the first judge's verdict, then the second's
 * @param dissent the first samples on which their verdicts differ, with their reasons
 */
public record Agreement(
        int n,
        Abstained abstained,
        @Nullable Double agreement,
        @Nullable Double kappa,
        @JsonProperty("kappa_ci") @Nullable Interval interval,
        Map<Boolean, Map<Boolean, Integer>> confusion,
        List<Dissent> dissent) {
    private static final int MOST_DISSENT = 20;
    private static final int NAMED = 20;

    /**
     * Numbers of samples with an abstention.
     *
     * @param a abstentions of the first judge
     * @param b abstentions of the second judge
     * @param both abstentions of both judges
     */
    public record Abstained(int a, int b, int both) {}

    /** A sample on which the two verdicts differ. */
    public record Dissent(String id, boolean a, boolean b, String aReason, String bReason) {}

    private record Pair(SampleVerdict a, SampleVerdict b) {
        boolean decided() {
            return !a.abstained() && !b.abstained();
        }

        boolean first() {
            return Objects.equals(a.equivalent(), true);
        }

        boolean second() {
            return Objects.equals(b.equivalent(), true);
        }

        Dissent dissent() {
            return new Dissent(a.id(), first(), second(), a.reason(), b.reason());
        }
    }

    /**
     * Compares the verdicts of two judges.
     *
     * @param a the first judge's verdicts by sample id
     * @param b the second judge's verdicts on the same samples
     * @throws dev.prpf.base.error.PrpfException 65, naming the ids, if one judge lacks verdicts of the other
     */
    public static Agreement of(Map<String, SampleVerdict> a, Map<String, SampleVerdict> b, Bootstrap bootstrap) {
        requireSame(a.keySet(), b.keySet());
        List<Pair> all = a.values().stream()
                .map(verdict -> new Pair(verdict, Objects.requireNonNull(b.get(verdict.id()))))
                .toList();
        List<Pair> decided = all.stream().filter(Pair::decided).toList();
        int[] once = IntStream.range(0, decided.size()).map(i -> 1).toArray();
        Double kappa = finite(kappa(decided, once));
        return new Agreement(
                decided.size(),
                new Abstained(count(all, true, false), count(all, false, true), count(all, true, true)),
                decided.isEmpty() ? null : (Double) (100.0 * agreeing(decided) / decided.size()),
                kappa,
                kappa == null
                        ? null
                        : bootstrap
                                .ofGroups(decided.size(), times -> new double[] {kappa(decided, times)})
                                .get(0),
                confusion(decided),
                decided.stream()
                        .filter(pair -> pair.first() != pair.second())
                        .limit(MOST_DISSENT)
                        .map(Pair::dissent)
                        .toList());
    }

    private static void requireSame(Set<String> a, Set<String> b) {
        List<String> problems = new ArrayList<>();
        note("the second file lacks", a, b, problems);
        note("the first file lacks", b, a, problems);
        if (!problems.isEmpty()) {
            throw new InvalidDataException("the two files hold verdicts on different samples: "
                    + String.join("; ", problems) + ". Both judges must have judged the same predictions");
        }
    }

    private static void note(String what, Set<String> ids, Set<String> others, List<String> problems) {
        List<String> missing = ids.stream().filter(id -> !others.contains(id)).toList();
        if (!missing.isEmpty()) {
            String named = missing.stream().limit(NAMED).collect(Collectors.joining(", "));
            String more = missing.size() > NAMED ? " and " + (missing.size() - NAMED) + " more" : "";
            problems.add(what + " " + missing.size() + " ids of the other: " + named + more);
        }
    }

    private static int count(List<Pair> pairs, boolean first, boolean second) {
        return (int) pairs.stream()
                .filter(pair ->
                        (!first || pair.a().abstained()) && (!second || pair.b().abstained()))
                .count();
    }

    private static int agreeing(List<Pair> pairs) {
        return (int)
                pairs.stream().filter(pair -> pair.first() == pair.second()).count();
    }

    private static @Nullable Double finite(double value) {
        return Double.isFinite(value) ? value : null;
    }

    /** Computes kappa with pair i counted {@code times[i]} times; NaN if it is undefined. */
    private static double kappa(List<Pair> pairs, int[] times) {
        double n = 0;
        double same = 0;
        double first = 0;
        double second = 0;
        for (int i = 0; i < times.length; i++) {
            Pair pair = pairs.get(i);
            n += times[i];
            same += pair.first() == pair.second() ? times[i] : 0;
            first += pair.first() ? times[i] : 0;
            second += pair.second() ? times[i] : 0;
        }
        double byChance = (first * second + (n - first) * (n - second)) / (n * n);
        return byChance == 1 ? Double.NaN : (same / n - byChance) / (1 - byChance);
    }

    private static Map<Boolean, Map<Boolean, Integer>> confusion(List<Pair> pairs) {
        Map<Boolean, Map<Boolean, Integer>> confusion = new LinkedHashMap<>();
        for (boolean first : new boolean[] {true, false}) {
            Map<Boolean, Integer> row = new LinkedHashMap<>();
            for (boolean second : new boolean[] {true, false}) {
                row.put(second, (int) pairs.stream()
                        .filter(pair -> pair.first() == first && pair.second() == second)
                        .count());
            }
            confusion.put(first, row);
        }
        return confusion;
    }
}
