package dev.prpf.spark;

import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.eval.judge.Judge;
import dev.prpf.eval.score.ClusterBy;
import dev.prpf.eval.score.Pairing.Ids;
import dev.prpf.eval.score.Pairing.Misfit;
import dev.prpf.eval.score.SampleScore;
import dev.prpf.eval.score.ScenarioGroups;
import dev.prpf.eval.score.Scorer;
import dev.prpf.par.cascade.Prediction;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/**
 * Scores the pairs of a partition, samples and predictions grouped by id.
 *
 * @param parser of the samples
 * @param catalog the scenarios of samples, or null
 */
record PairScoring(SampleParser parser, FunctionPool pool, @Nullable ScenarioCatalog catalog, ClusterBy clusterBy)
        implements FlatMapFunction<
                Iterator<Tuple2<String, Tuple2<Iterable<Numbered>, Iterable<Numbered>>>>, PairScoring.Part> {
    /** A score and the index of its sample. */
    record Placed(long index, SampleScore score) implements Serializable {}

    /**
     * The scores of some pairs.
     *
     * @param samples number of distinct ids of samples
     * @param misfits ids without a valid pair
     */
    record Part(long samples, List<Placed> scores, Map<Misfit, MisfitIds> misfits) implements Serializable {}

    /** A number of ids, and the first few by index. */
    record MisfitIds(long count, TreeMap<Long, String> first) implements Serializable {
        private static final int KEPT = 20;

        MisfitIds plus(MisfitIds other) {
            TreeMap<Long, String> all = new TreeMap<>(first);
            all.putAll(other.first);
            while (all.size() > KEPT) {
                all.pollLastEntry();
            }
            return new MisfitIds(count + other.count, all);
        }

        Ids ids() {
            return new Ids(count, List.copyOf(first.values()));
        }
    }

    @Override
    public Iterator<Part> call(Iterator<Tuple2<String, Tuple2<Iterable<Numbered>, Iterable<Numbered>>>> groups) {
        Pairs pairs = new Pairs(groups, parser);
        Scorer scorer = new Scorer(catalog, Judge.standard(), Bootstrap.DEFAULT, clusterBy, ScenarioGroups.PAPERS);
        List<SampleScore> scores = scorer.samples(pairs, id -> pairs.prediction, pool);
        List<Placed> placed = new ArrayList<>();
        for (int i = 0; i < scores.size(); i++) {
            placed.add(new Placed(pairs.indexes.get(i), scores.get(i)));
        }
        return List.of(new Part(pairs.samples, placed, pairs.misfits)).iterator();
    }

    /** Iterates over the samples with a valid pair; collects all other ids as misfits. */
    private static final class Pairs implements Iterator<Sample> {
        private final Iterator<Tuple2<String, Tuple2<Iterable<Numbered>, Iterable<Numbered>>>> groups;
        private final SampleParser parser;
        private final List<Long> indexes = new ArrayList<>();
        private final Map<Misfit, MisfitIds> misfits = new EnumMap<>(Misfit.class);
        private long samples;
        private @Nullable Sample next;
        private @Nullable Prediction prediction;

        Pairs(Iterator<Tuple2<String, Tuple2<Iterable<Numbered>, Iterable<Numbered>>>> groups, SampleParser parser) {
            this.groups = groups;
            this.parser = parser;
        }

        @Override
        public boolean hasNext() {
            while (next == null && groups.hasNext()) {
                Tuple2<String, Tuple2<Iterable<Numbered>, Iterable<Numbered>>> group = groups.next();
                pair(group._1(), sorted(group._2()._1()), sorted(group._2()._2()));
            }
            return next != null;
        }

        private static List<Numbered> sorted(Iterable<Numbered> lines) {
            List<Numbered> sorted = new ArrayList<>();
            lines.forEach(sorted::add);
            sorted.sort(Comparator.comparingLong(Numbered::index));
            return sorted;
        }

        private void pair(String id, List<Numbered> gold, List<Numbered> predicted) {
            noteLater(Misfit.TWICE, id, gold);
            noteLater(Misfit.PREDICTED_TWICE, id, predicted);
            if (gold.isEmpty()) {
                note(Misfit.WITHOUT_SAMPLE, id, predicted.get(0));
                return;
            }
            samples++;
            Sample sample = Objects.requireNonNull(parser.parse(gold.get(0), failure -> {}), id);
            if (!sample.labelled()) {
                note(Misfit.UNLABELLED, id, gold.get(0));
            }
            if (predicted.isEmpty()) {
                note(Misfit.WITHOUT_PREDICTION, id, gold.get(0));
            } else if (sample.labelled()) {
                next = sample;
                prediction = Prediction.parse(id, predicted.get(0).text());
                indexes.add(gold.get(0).index());
            }
        }

        private void noteLater(Misfit misfit, String id, List<Numbered> lines) {
            if (lines.size() > 1) {
                note(misfit, id, lines.get(1));
            }
        }

        private void note(Misfit misfit, String id, Numbered line) {
            misfits.merge(misfit, new MisfitIds(1, new TreeMap<>(Map.of(line.index(), id))), MisfitIds::plus);
        }

        @Override
        public Sample next() {
            if (!hasNext() || next == null) {
                throw new NoSuchElementException("there are no more pairs");
            }
            Sample sample = next;
            next = null;
            return sample;
        }
    }
}
