package dev.prpf.spark;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.sets.SftRecords;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;

/**
 * An SFT set, checked: its records can be read, and their prompts are written as this program writes them.
 *
 * @param input that they are of
 * @param lines in the set's order
 * @param head its first record, which says how all are written
 */
record SftSource(String input, JavaRDD<Numbered> lines, SftRecords head) {
    /**
     * Opens a set.
     *
     * @param partitions that JSON Lines are cut into at least; 0 leaves it to Spark
     * @throws PrpfException 65, naming the first record that is none or whose prompt is unlike the first one's, or if there are none; 78 if
     *     this program writes such prompts otherwise
     */
    static SftSource read(SparkSession spark, String input, int partitions) {
        JavaRDD<Numbered> lines = Lines.of(spark, input, ParquetColumns.SFT_RECORDS, partitions);
        List<Numbered> first = lines.take(1);
        if (first.isEmpty()) {
            throw new InvalidDataException(input + ": holds no SFT records");
        }
        Problem.requireNone(lines.flatMap(line -> Problem.of(line.index(), () -> record(input, line))));
        SftRecords head = new SftRecords(input, List.of(record(input, first.get(0))));
        requireLike(lines, input, head.records().get(0));
        return new SftSource(input, lines, head.requirePrompts(head.prompt()));
    }

    /** One record of each way to write prompts is compared with the first. */
    private static void requireLike(JavaRDD<Numbered> lines, String input, SftRecord head) {
        List<Numbered> ways = new ArrayList<>(
                lines.mapToPair(line -> new Tuple2<>(record(input, line).wording(), line))
                        .reduceByKey((a, b) -> a.index() <= b.index() ? a : b)
                        .values()
                        .collect());
        ways.sort((a, b) -> Long.compare(a.index(), b.index()));
        ways.forEach(line -> SftRecords.requireLike(head, place(input, line), record(input, line)));
    }

    /** @throws PrpfException 65 if it is no SFT record */
    static SftRecord record(String input, Numbered line) {
        return SftRecords.parse(place(input, line), line.text());
    }

    private static String place(String input, Numbered line) {
        return input + ": record " + line.index();
    }
}
