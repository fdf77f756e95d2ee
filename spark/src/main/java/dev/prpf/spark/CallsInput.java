package dev.prpf.spark;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import dev.prpf.data.calls.CallRecordReader;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code --questions}, {@code --answers} and {@code --irrelevant}, with the meaning they have on one machine; a mixin. */
final class CallsInput {
    @Option(
            names = "--questions",
            required = true,
            paramLabel = "PATH",
            description = "Records that a function serves: JSON Lines or Parquet; a file, a folder or a pattern"
                    + " (repeatable, each with its --answers).")
    private List<String> questions = List.of();

    @Option(
            names = "--answers",
            required = true,
            paramLabel = "PATH",
            description = "Gold answers for the --questions, in their order (repeatable).")
    private List<String> answers = List.of();

    @Option(
            names = "--irrelevant",
            paramLabel = "PATH",
            description = "Records that no function serves: silence is right (repeatable).")
    private List<String> irrelevant = List.of();

    @Mixin
    private PartitionsOption partitions = new PartitionsOption();

    /** @throws PrpfException 2 unless each --questions has its --answers */
    void requirePairs() {
        if (questions.size() != answers.size()) {
            throw new UsageException(questions.size() + " --questions but " + answers.size()
                    + " --answers; give each its own, in the same order");
        }
    }

    /**
     * Returns all records in the order of the options and of their lines.
     *
     * @throws PrpfException 65, naming the first, for an invalid line, a duplicate id, a missing record or answer, or an answer that does not
     *     fit
     */
    JavaRDD<CallLine> lines(SparkSession spark) {
        List<JavaRDD<CallLine>> all = new ArrayList<>();
        long before = 0;
        for (int i = 0; i < questions.size() + irrelevant.size(); i++) {
            boolean served = i < questions.size();
            CallPairs pairs = new CallPairs(
                    served ? questions.get(i) : irrelevant.get(i - questions.size()),
                    served ? answers.get(i) : null,
                    before);
            JavaRDD<Numbered> asked = readable(spark, pairs.questions(), ParquetColumns.CALLS);
            JavaRDD<Numbered> answered = pairs.answers() == null
                    ? asked.filter(line -> false)
                    : readable(spark, pairs.answers(), ParquetColumns.CALL_ANSWERS);
            all.add(pairs.joined(asked, answered));
            before += asked.count();
        }
        JavaRDD<CallLine> lines = all.stream().reduce(JavaRDD::union).orElseThrow();
        Problem.requireNone(lines.flatMap(line -> Problem.of(line.index(), line::record)));
        return lines.sortBy(CallLine::index, true, lines.getNumPartitions());
    }

    /** @throws PrpfException 65 if the input is empty or a line has no id */
    private JavaRDD<Numbered> readable(SparkSession spark, String input, ParquetColumns columns) {
        JavaRDD<Numbered> lines = Lines.of(spark, input, columns, partitions.minimum());
        if (lines.isEmpty()) {
            throw CallRecordReader.none(input);
        }
        Problem.requireNone(lines.flatMap(line -> Problem.of(
                line.index(), () -> new CallLine.Placed(input, line).source().id())));
        return lines;
    }
}
