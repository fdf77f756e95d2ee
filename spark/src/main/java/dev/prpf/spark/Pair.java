package dev.prpf.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.Function;

/** The lines of two inputs that have one id. */
record Pair(String id, List<Numbered> left, List<Numbered> right) implements Serializable {
    /** Joins the lines of two inputs by their ids, in the order of the first lines. */
    static JavaRDD<Pair> joined(
            JavaRDD<Numbered> left,
            Function<Numbered, String> leftId,
            JavaRDD<Numbered> right,
            Function<Numbered, String> rightId) {
        JavaRDD<Pair> pairs = left.keyBy(leftId)
                .cogroup(right.keyBy(rightId))
                .map(pair -> new Pair(
                        pair._1(), sorted(pair._2()._1()), sorted(pair._2()._2())));
        return pairs.sortBy(Pair::index, true, pairs.getNumPartitions());
    }

    private static List<Numbered> sorted(Iterable<Numbered> lines) {
        List<Numbered> sorted = new ArrayList<>();
        lines.forEach(sorted::add);
        sorted.sort(Comparator.comparingLong(Numbered::index));
        return sorted;
    }

    /** Returns the index of the id's first line in the left input. Ids without such a line come last. */
    long index() {
        return left.isEmpty()
                ? Long.MAX_VALUE / 2 + right.get(0).index()
                : left.get(0).index();
    }
}
