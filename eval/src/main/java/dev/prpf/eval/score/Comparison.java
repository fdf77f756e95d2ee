package dev.prpf.eval.score;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.config.Rule;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import dev.prpf.eval.score.Comparer.Paired;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.math3.stat.inference.AlternativeHypothesis;
import org.apache.commons.math3.stat.inference.BinomialTest;
import org.jspecify.annotations.Nullable;

/**
 * Compares two systems on the same samples, metric by metric.
 *
 * @param first a system's name
 * @param second another's
 * @param metrics by key: those with the same denominator for both, then malformed responses; null if no sample counts
 */
public record Comparison(String first, String second, Map<String, @Nullable Difference> metrics) {
    private static final String MALFORMED = "malformed";

    /**
     * One metric, in percent.
     *
     * @param n samples that count
     * @param first value of the first system; over several seeds the mean
     * @param second value of the second system
     * @param difference second less first
     * @param interval of the difference, by paired bootstrap; null with one source
     * @param test McNemar's; null for a metric that is not right or wrong, and for a system over several seeds
     */
    public record Difference(
            int n,
            double first,
            double second,
            double difference,
            @JsonProperty("ci") @Nullable Interval interval,
            @JsonProperty("mcnemar") @Nullable Test test) {}

    /**
     * Result of McNemar's exact test.
     *
     * @param first samples that only the first system has right
     * @param second samples that only the second system has right
     * @param p two-sided
     * @param holm p after Holm's correction over all compared pairs
     */
    public record Test(int first, int second, double p, @JsonProperty("p_holm") double holm) {}

    public record Pair(SystemScores first, SystemScores second) {}

    /** Returns the heading of a key of {@link #metrics}. */
    public static String heading(String key) {
        return Metric.ofKey(key).map(Metric::directed).orElse(MALFORMED + " ↓");
    }

    /** Compares all pairs, in the order of the systems. */
    public static List<Comparison> of(List<SystemScores> systems, Bootstrap bootstrap) {
        return ofPairs(
                IntStream.range(0, systems.size())
                        .boxed()
                        .flatMap(a -> IntStream.range(a + 1, systems.size())
                                .mapToObj(b -> new Pair(systems.get(a), systems.get(b))))
                        .toList(),
                bootstrap);
    }

    /** Compares the given pairs, with Holm's correction over them. */
    public static List<Comparison> ofPairs(List<Pair> pairs, Bootstrap bootstrap) {
        return corrected(pairs.parallelStream()
                .map(pair -> of(pair.first(), pair.second(), bootstrap))
                .toList());
    }

    private static Comparison of(SystemScores a, SystemScores b, Bootstrap bootstrap) {
        List<Metric> metrics =
                Stream.of(Metric.values()).filter(Metric::comparable).toList();
        List<double[]> first = new ArrayList<>(metrics.stream().map(a::percent).toList());
        List<double[]> second = new ArrayList<>(metrics.stream().map(b::percent).toList());
        first.add(a.malformed());
        second.add(b.malformed());
        long[] sources =
                a.first().samples().stream().mapToLong(SampleScore::source).toArray();
        List<@Nullable Paired> paired = Paired.of(bootstrap, sources, first, second);
        boolean tested = !a.overSeeds() && !b.overSeeds();
        Map<String, @Nullable Difference> differences = new LinkedHashMap<>();
        for (int m = 0; m < paired.size(); m++) {
            boolean last = m == metrics.size();
            boolean binary = last || metrics.get(m).binary();
            differences.put(
                    last ? MALFORMED : metrics.get(m).key(),
                    difference(paired.get(m), tested && binary ? test(first.get(m), second.get(m)) : null));
        }
        return new Comparison(a.name(), b.name(), differences);
    }

    private static @Nullable Difference difference(@Nullable Paired pair, @Nullable Test test) {
        return pair == null
                ? null
                : new Difference(pair.n(), pair.before(), pair.after(), pair.difference(), pair.interval(), test);
    }

    private static Test test(double[] first, double[] second) {
        int firstOnly = 0;
        int secondOnly = 0;
        for (int i = 0; i < first.length; i++) {
            firstOnly += first[i] > second[i] ? 1 : 0;
            secondOnly += second[i] > first[i] ? 1 : 0;
        }
        McNemar test = McNemar.of(firstOnly, secondOnly);
        return new Test(firstOnly, secondOnly, test.p(), test.p());
    }

    /** Corrects the p-values over the pairs, metric by metric. */
    private static List<Comparison> corrected(List<Comparison> pairs) {
        List<Map<String, @Nullable Difference>> rows = new ArrayList<>();
        pairs.forEach(pair -> rows.add(new LinkedHashMap<>(pair.metrics())));
        Stream<String> keys = pairs.isEmpty() ? Stream.of() : pairs.get(0).metrics().keySet().stream();
        keys.forEach(key -> {
            List<Integer> tested = IntStream.range(0, rows.size())
                    .filter(i -> tested(rows.get(i).get(key)))
                    .boxed()
                    .toList();
            List<Double> adjusted = Holm.adjusted(
                    tested.stream().map(i -> test(rows.get(i).get(key)).p()).toList());
            for (int k = 0; k < tested.size(); k++) {
                Map<String, @Nullable Difference> row = rows.get(tested.get(k));
                row.put(key, withHolm(Objects.requireNonNull(row.get(key)), adjusted.get(k)));
            }
        });
        return IntStream.range(0, rows.size())
                .mapToObj(i -> new Comparison(pairs.get(i).first(), pairs.get(i).second(), rows.get(i)))
                .toList();
    }

    private static boolean tested(@Nullable Difference difference) {
        return difference != null && difference.test() != null;
    }

    private static Test test(@Nullable Difference difference) {
        return Objects.requireNonNull(Objects.requireNonNull(difference).test());
    }

    private static Difference withHolm(Difference from, double holm) {
        Test test = test(from);
        return new Difference(
                from.n(),
                from.first(),
                from.second(),
                from.difference(),
                from.interval(),
                new Test(test.first(), test.second(), test.p(), holm));
    }

    /**
     * Holm's step-down correction (Scandinavian Journal of Statistics 6, 1979): adjusted p-values of several tests, each to be
     * compared with the same level. It bounds the probability of any false positive, also for dependent tests.
     */
    static final class Holm {
        private Holm() {}

        /**
         * Returns the adjusted p-values in the given order; none is smaller than before, and their ranks do not change.
         *
         * @param pValues of one family of tests, each in [0, 1]
         */
        public static List<Double> adjusted(List<Double> pValues) {
            pValues.forEach(p -> Rule.require(p >= 0 && p <= 1, "p", p, "in [0, 1]"));
            int[] ascending = IntStream.range(0, pValues.size())
                    .boxed()
                    .sorted(Comparator.comparing(pValues::get))
                    .mapToInt(Integer::intValue)
                    .toArray();
            Double[] adjusted = new Double[ascending.length];
            double largest = 0;
            for (int rank = 0; rank < ascending.length; rank++) {
                largest = Math.max(largest, (ascending.length - rank) * pValues.get(ascending[rank]));
                adjusted[ascending[rank]] = Math.min(1, largest);
            }
            return List.of(adjusted);
        }
    }

    /**
     * McNemar's exact test (Psychometrika 12, 1947) of two systems on the same samples. Null hypothesis: where they disagree, each is
     * right with probability one half.
     *
     * @param first number of samples that only the first system has right
     * @param second number of samples that only the second system has right
     * @param p two-sided p-value, in [0, 1]; 1 if the systems never disagree
     */
    record McNemar(int first, int second, double p) {
        public static McNemar of(int first, int second) {
            Rule.require(first >= 0, "first", first, "0 or more");
            Rule.require(second >= 0, "second", second, "0 or more");
            int disagreements = Math.addExact(first, second);
            double p = disagreements == 0
                    ? 1
                    : new BinomialTest().binomialTest(disagreements, first, 0.5, AlternativeHypothesis.TWO_SIDED);
            return new McNemar(first, second, Math.min(1, p));
        }
    }
}
