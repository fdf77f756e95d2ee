package dev.prpf.spark;

import dev.prpf.base.error.PrpfException;
import dev.prpf.data.calls.CallRecordReader;
import dev.prpf.spark.CallLine.Placed;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/**
 * Joins the records of one input with their answers.
 *
 * @param answers the input of the answers; null if no function serves the records
 * @param before number of records in the inputs before this one
 */
record CallPairs(String questions, @Nullable String answers, long before) implements Serializable {
    /** An id and its lines in both inputs. */
    private record Pair(String id, List<Placed> asked, List<Placed> answered) {
        /** Returns the problems in the order in which a single machine reports them. */
        Iterator<Problem> problems(String questions, @Nullable String answers) {
            List<Problem> problems = new ArrayList<>();
            answered.stream().skip(1).limit(1).forEach(again -> problems.add(problem(0, again, twice(again))));
            asked.stream().skip(1).limit(1).forEach(again -> problems.add(problem(1, again, twice(again))));
            if (asked.isEmpty()) {
                problems.add(problem(2, answered.get(0), alone(answered.get(0), questions)));
            } else if (answered.isEmpty() && answers != null) {
                problems.add(problem(3, asked.get(0), alone(asked.get(0), answers)));
            }
            return problems.iterator();
        }

        private PrpfException twice(Placed line) {
            return CallRecordReader.twice(line.place(), id);
        }

        private PrpfException alone(Placed line, String other) {
            return CallRecordReader.unpaired(line.place(), id, other);
        }

        private static Problem problem(int rank, Placed line, PrpfException why) {
            return new Problem(rank, line.line().index(), String.valueOf(why.getMessage()));
        }
    }

    /**
     * Returns the joined records, unordered.
     *
     * @param asked lines of the questions
     * @param answered lines of the answers; empty if no function serves the records
     * @throws PrpfException 65, naming the first, for a duplicate id or an id that only one of the inputs has
     */
    JavaRDD<CallLine> joined(JavaRDD<Numbered> asked, JavaRDD<Numbered> answered) {
        String questionsInput = questions;
        String answersInput = answers;
        JavaPairRDD<String, Placed> records = byId(asked, questionsInput);
        JavaRDD<Pair> pairs = records.cogroup(byId(answered, answersInput == null ? "" : answersInput))
                .map(pair -> new Pair(
                        pair._1(), sorted(pair._2()._1()), sorted(pair._2()._2())));
        Problem.requireNone(pairs.flatMap(pair -> pair.problems(questionsInput, answersInput)));
        long first = before;
        return pairs.map(pair -> line(pair, first));
    }

    private static CallLine line(Pair pair, long first) {
        Placed question = pair.asked().get(0);
        Placed answer = pair.answered().isEmpty() ? null : pair.answered().get(0);
        return new CallLine(first + question.line().index(), question, answer);
    }

    private static JavaPairRDD<String, Placed> byId(JavaRDD<Numbered> lines, String input) {
        return lines.mapToPair(line -> {
            Placed placed = new Placed(input, line);
            return new Tuple2<>(placed.source().id(), placed);
        });
    }

    private static List<Placed> sorted(Iterable<Placed> lines) {
        List<Placed> sorted = new ArrayList<>();
        lines.forEach(sorted::add);
        sorted.sort(Comparator.comparingLong(placed -> placed.line().index()));
        return sorted;
    }
}
