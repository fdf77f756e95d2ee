package dev.prpf.spark;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.par.export.RewardedPrompts;
import dev.prpf.par.export.Trainer;
import dev.prpf.par.export.TrainerRows;
import dev.prpf.par.reward.RewardGold;
import dev.prpf.par.sets.SftRecord;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/**
 * Joins the records of an SFT set with the gold samples that rewards compare responses with.
 *
 * @param set the input of the records
 * @param gold the input of the samples
 * @param pool functions of the samples' answers
 * @param poolPlace source of the pool, for messages
 * @param parser of the samples
 */
record RewardedLines(String set, String gold, FunctionPool pool, String poolPlace, SampleParser parser)
        implements Serializable {
    /** The first record of a sample, and the sample. */
    record Chosen(Numbered record, Numbered sample) implements Serializable {}

    /** An id and its lines in both inputs, in order. */
    private record Pair(String id, List<Numbered> records, List<Numbered> samples) {}

    /**
     * Returns one prompt for each sample in the set, in the set's order.
     *
     * @param trainer that will read the rows
     * @throws PrpfException 65, naming the first, for an invalid sample, a duplicate id, a missing sample, a target outside its answers, or a
     *     changed prompt
     */
    JavaRDD<Chosen> chosen(JavaRDD<Numbered> records, JavaRDD<Numbered> samples, Trainer trainer) {
        if (samples.isEmpty()) {
            RewardGold.of(List.of(), gold, pool, poolPlace);
        }
        Problem.requireNone(samples.flatMap(line -> Problem.of(line.index(), () -> requireRewarded(line))));
        JavaPairRDD<String, Numbered> byId = records.mapToPair(
                line -> new Tuple2<>(SftSource.record(set, line).id(), line));
        JavaRDD<Pair> pairs = byId.cogroup(
                        samples.mapToPair(line -> new Tuple2<>(sample(line).id(), line)))
                .map(pair -> new Pair(
                        pair._1(), sorted(pair._2()._1()), sorted(pair._2()._2())));
        Problem.requireNone(pairs.flatMap(this::twice));
        Problem.requireNone(pairs.flatMap(pair -> problems(pair, new TrainerRows(trainer))));
        return pairs.filter(pair -> !pair.records().isEmpty())
                .map(pair -> new Chosen(pair.records().get(0), pair.samples().get(0)))
                .sortBy(chosen -> chosen.record().index(), true, pairs.getNumPartitions());
    }

    /** Returns numbered rows in the trainer's format. */
    JavaRDD<String> rows(JavaRDD<Chosen> chosen, Trainer trainer) {
        return chosen.zipWithIndex().map(one -> row(one._1(), Math.toIntExact(one._2()), new TrainerRows(trainer)));
    }

    private String row(Chosen one, int index, TrainerRows rows) {
        SftRecord record = SftSource.record(set, one.record());
        return JsonRecords.write(rows.rewarded(record, sample(one.sample()), ExportOutput.TRAIN, index));
    }

    /** Returns the samples, one JSON line each. */
    JavaRDD<String> gold(JavaRDD<Chosen> chosen) {
        return chosen.map(one -> SampleWriter.line(sample(one.sample())));
    }

    long acting(JavaRDD<Chosen> chosen) {
        return chosen.filter(one -> sample(one.sample()).wantsIntervention()).count();
    }

    private void requireRewarded(Numbered line) {
        RewardGold.of(List.of(sample(line)), gold + ": record " + line.index(), pool, poolPlace);
    }

    /** Returns the sample of a line that was checked before. */
    private Sample sample(Numbered line) {
        return Objects.requireNonNull(parser.parse(line, failure -> {}), gold);
    }

    private Iterator<Problem> twice(Pair pair) {
        return pair.samples().stream()
                .skip(1)
                .limit(1)
                .map(second -> new Problem(
                        0,
                        second.index(),
                        UniqueIds.message(gold, pair.id(), pair.samples().get(0).index(), second.index())))
                .iterator();
    }

    private Iterator<Problem> problems(Pair pair, TrainerRows rows) {
        List<Problem> problems = new ArrayList<>();
        Sample sample = pair.samples().isEmpty() ? null : sample(pair.samples().get(0));
        for (Numbered line : pair.records()) {
            boolean first = line.index() == pair.records().get(0).index();
            Problem.of(line.index(), () -> require(SftSource.record(set, line), sample, first ? rows : null))
                    .forEachRemaining(problems::add);
        }
        return problems.iterator();
    }

    private void require(SftRecord record, @Nullable Sample sample, @Nullable TrainerRows rows) {
        RewardedPrompts.requireTarget(record, sample, gold);
        if (rows != null) {
            rows.requireReadable(record);
        }
    }

    private static List<Numbered> sorted(Iterable<Numbered> lines) {
        List<Numbered> sorted = new ArrayList<>();
        lines.forEach(sorted::add);
        sorted.sort(Comparator.comparingLong(Numbered::index));
        return sorted;
    }
}
