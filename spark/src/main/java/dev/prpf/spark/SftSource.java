package dev.prpf.spark;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.par.export.RewardedPrompts;
import dev.prpf.par.export.Trainer;
import dev.prpf.par.export.TrainerRows;
import dev.prpf.par.reward.RewardGold;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.spark.SampleParser.Problem;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;

/** A checked SFT set in order; the prompts of all records are written like that of its first. */
record SftSource(String input, JavaRDD<Numbered> lines, SftRecords head) {
    /** Checks a set; 65 for an invalid record or other prompts than the first, 78 if this version writes other prompts. */
    static SftSource of(String input, JavaRDD<Numbered> lines) {
        Problem.requireNone(lines.flatMap(line -> Problem.of(line.index(), () -> record(input, line))));
        List<Numbered> wordings =
                new ArrayList<>(lines.keyBy(line -> record(input, line).wording())
                        .reduceByKey((a, b) -> a.index() <= b.index() ? a : b)
                        .values()
                        .collect());
        if (wordings.isEmpty()) {
            throw new InvalidDataException(input + ": holds no SFT records");
        }
        wordings.sort(Comparator.comparingLong(Numbered::index));
        SftRecord first = record(input, wordings.get(0));
        wordings.forEach(line -> SftRecords.requireLike(first, line.place(input), record(input, line)));
        SftRecords head = new SftRecords(input, List.of(first));
        return new SftSource(input, lines, head.requirePrompts(head.prompt()));
    }

    private static SftRecord record(String input, Numbered line) {
        return SftRecords.parse(line.place(input), line.text());
    }

    JavaRDD<SftRecord> records() {
        String place = input;
        return lines.map(line -> record(place, line));
    }

    record Rewarded(SftRecord record, Sample sample) {
        Record row(Trainer trainer, int index) {
            return new TrainerRows(trainer).rewarded(record, sample, ExportOutput.TRAIN, index);
        }
    }

    /** The samples that rewards compare responses with, and the functions that they may call. */
    record Gold(String gold, FunctionPool pool, String poolPlace, SampleParser parser, Trainer trainer)
            implements Serializable {
        private void requireRewarded(Numbered line) {
            RewardGold.of(List.of(parser.checked(line)), line.place(gold), pool, poolPlace);
        }

        private void requireTargets(Pair pair, String set) {
            Sample sample =
                    pair.right().isEmpty() ? null : parser.checked(pair.right().get(0));
            pair.left().forEach(line -> RewardedPrompts.requireTarget(record(set, line), sample, gold));
            new TrainerRows(trainer).requireReadable(record(set, pair.left().get(0)));
        }
    }

    /** Returns the first record of each sample, in order; 65, naming the first, unless each has its gold sample. */
    JavaRDD<Rewarded> rewarded(JavaRDD<Numbered> samples, Gold rule) {
        if (samples.isEmpty()) {
            RewardGold.of(List.of(), rule.gold(), rule.pool(), rule.poolPlace());
        }
        Problem.requireNone(samples.flatMap(line -> Problem.of(line.index(), () -> rule.requireRewarded(line))));
        rule.parser().requireUnique(samples, rule.gold());
        String set = input;
        JavaRDD<Pair> pairs = Pair.joined(lines, line -> record(set, line).id(), samples, line -> rule.parser()
                        .checked(line)
                        .id())
                .filter(pair -> !pair.left().isEmpty());
        Problem.requireNone(pairs.flatMap(pair -> Problem.of(pair.index(), () -> rule.requireTargets(pair, set))));
        return pairs.map(pair -> new Rewarded(
                record(set, pair.left().get(0)),
                rule.parser().checked(pair.right().get(0))));
    }
}
