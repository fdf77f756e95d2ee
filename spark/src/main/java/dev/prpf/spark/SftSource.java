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
 * A checked SFT set: its records are valid, and this version writes prompts in the same way.
 *
 * @param input path of the set
 * @param lines in the set's order
 * @param head the first record, which holds the prompt settings of all
 */
record SftSource(String input, JavaRDD<Numbered> lines, SftRecords head) {
    /**
     * Reads and checks an SFT set.
     *
     * @param partitions least number of partitions of JSON Lines; 0 leaves it to Spark
     * @throws PrpfException 65 for an empty set, or naming the first record that is invalid or has other prompt settings than the first. 78
     *     if this version writes such prompts in another way
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

    /** Compares one record of each wording with the first record. */
    private static void requireLike(JavaRDD<Numbered> lines, String input, SftRecord head) {
        List<Numbered> ways = new ArrayList<>(
                lines.mapToPair(line -> new Tuple2<>(record(input, line).wording(), line))
                        .reduceByKey((a, b) -> a.index() <= b.index() ? a : b)
                        .values()
                        .collect());
        ways.sort((a, b) -> Long.compare(a.index(), b.index()));
        ways.forEach(line -> SftRecords.requireLike(head, place(input, line), record(input, line)));
    }

    /** @throws PrpfException 65 if the line is not an SFT record */
    static SftRecord record(String input, Numbered line) {
        return SftRecords.parse(place(input, line), line.text());
    }

    private static String place(String input, Numbered line) {
        return input + ": record " + line.index();
    }
}
