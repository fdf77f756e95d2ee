package dev.prpf.data.io;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import java.io.Serializable;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Counts the samples, answers, images and calls of a data set (PRPF Table 5).
 *
 * @param total counts of all samples
 * @param bySplit counts by split ({@value #NO_SPLIT} for records without one), then by modality
 * @param byDifficulty number of samples by difficulty, 1 to 3
 * @param byScenario number of samples by scenario
 * @param callsPerAnswer number of answers by number of calls
 */
public record DatasetStatistics(
        Row total,
        Map<String, Map<String, Row>> bySplit,
        Map<Integer, Long> byDifficulty,
        Map<String, Long> byScenario,
        Map<Integer, Long> callsPerAnswer)
        implements Serializable {
    private static final String NO_SPLIT = "none";
    private static final Comparator<String> TEXT_FIRST = Comparator.reverseOrder();

    /**
     * One row of the table.
     *
     * @param items number of samples
     * @param intents number of valid answers; silence is an answer, so an empty list counts one, as in the paper's 4,438 of 4,438
     *     items
     * @param images number of images in traces
     * @param functions number of calls in all valid answers
     * @param silent number of samples with silence as the only answer
     * @param unlabelled number of samples without answers
     */
    public record Row(long items, long intents, long images, long functions, long silent, long unlabelled)
            implements Serializable {
        private static final Row NONE = new Row(0, 0, 0, 0, 0, 0);

        private static Row of(Sample sample) {
            long images = sample.trajectory().screenshots().size();
            if (!sample.labelled()) {
                return new Row(1, 0, images, 0, 0, 1);
            }
            List<List<FunctionCall>> answers = sample.validSequences();
            long calls = answers.stream().mapToLong(List::size).sum();
            return new Row(1, answers.size(), images, calls, sample.wantsIntervention() ? 0 : 1, 0);
        }

        private Row plus(Row other) {
            return new Row(
                    items + other.items,
                    intents + other.intents,
                    images + other.images,
                    functions + other.functions,
                    silent + other.silent,
                    unlabelled + other.unlabelled);
        }
    }

    /** Counts all samples; memory holds one. */
    public static DatasetStatistics of(Iterator<Sample> samples, ScenarioCatalog catalog) {
        Map<String, Long> scenarios = new LinkedHashMap<>();
        catalog.names().forEach(name -> scenarios.put(name, 0L));
        scenarios.put(ScenarioCatalog.NONE, 0L);
        Map<Integer, Long> difficulties = new TreeMap<>(Map.of(1, 0L, 2, 0L, 3, 0L));
        Map<Integer, Long> calls = new TreeMap<>();
        Map<String, Map<String, Row>> rows = new TreeMap<>();
        samples.forEachRemaining(sample -> {
            rows.computeIfAbsent(sample.split() == null ? NO_SPLIT : sample.split(), split -> new TreeMap<>(TEXT_FIRST))
                    .merge(sample.modality().label(), Row.of(sample), Row::plus);
            difficulties.merge(sample.difficulty(), 1L, Long::sum);
            scenarios.merge(catalog.scenarioOf(sample), 1L, Long::sum);
            if (sample.labelled()) {
                sample.validSequences().forEach(answer -> calls.merge(answer.size(), 1L, Long::sum));
            }
        });
        return of(rows, difficulties, scenarios, calls);
    }

    /** Returns the total counts of these samples and others, which follow them. */
    public DatasetStatistics plus(DatasetStatistics others) {
        Map<String, Map<String, Row>> rows = new TreeMap<>();
        Stream.of(this, others)
                .forEach(part -> part.bySplit.forEach((split, byModality) -> byModality.forEach(
                        (modality, row) -> rows.computeIfAbsent(split, unseen -> new TreeMap<>(TEXT_FIRST))
                                .merge(modality, row, Row::plus))));
        return of(
                rows,
                sum(new TreeMap<>(byDifficulty), others.byDifficulty),
                sum(new LinkedHashMap<>(byScenario), others.byScenario),
                sum(new TreeMap<>(callsPerAnswer), others.callsPerAnswer));
    }

    private static <K> Map<K, Long> sum(Map<K, Long> counts, Map<K, Long> others) {
        others.forEach((key, n) -> counts.merge(key, n, Long::sum));
        return counts;
    }

    private static DatasetStatistics of(
            Map<String, Map<String, Row>> rows,
            Map<Integer, Long> difficulties,
            Map<String, Long> scenarios,
            Map<Integer, Long> calls) {
        Row total =
                rows.values().stream().flatMap(split -> split.values().stream()).reduce(Row.NONE, Row::plus);
        return new DatasetStatistics(total, rows, difficulties, scenarios, calls);
    }
}
