package dev.prpf.spark;

import dev.prpf.base.error.PrpfException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import scala.Tuple2;

/** Checks that sample ids are unique. */
final class UniqueIds {
    private UniqueIds() {}

    /**
     * Checks the ids of all samples.
     *
     * @param source the input of the lines, for the message
     * @throws PrpfException 65, naming both, if two samples have one id
     */
    static void require(JavaRDD<Numbered> lines, SampleParser parser, String source) {
        Problem.requireNone(lines.flatMapToPair(line -> {
                    List<Tuple2<String, Tuple2<Long, Long>>> one = new ArrayList<>();
                    parser.call(line)
                            .forEachRemaining(sample ->
                                    one.add(new Tuple2<>(sample.id(), new Tuple2<>(line.index(), line.index()))));
                    return one.iterator();
                })
                .reduceByKey((a, b) -> new Tuple2<>(Math.min(a._1(), b._1()), Math.max(a._2(), b._2())))
                .filter(id -> !id._2()._1().equals(id._2()._2()))
                .map(id -> new Problem(
                        0,
                        id._2()._2(),
                        message(source, id._1(), id._2()._1(), id._2()._2()))));
    }

    static String message(String source, String id, long first, long again) {
        return source + ": record " + again + ", at /benchmark_metadata/id: \"" + id + "\" is the id of record " + first
                + " already, ids must be unique";
    }
}
