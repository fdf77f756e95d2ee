package dev.prpf.spark;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.error.ExitCode;
import dev.prpf.data.calls.CallRecord;
import dev.prpf.data.calls.CallRecordReader;
import dev.prpf.data.calls.CallRecordReader.Source;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.par.command.CallsCommand.CallsOptions;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.sets.CallPrompts;
import dev.prpf.par.sets.CallSelection;
import dev.prpf.par.sets.CallSet;
import dev.prpf.par.sets.DataCallsConfig;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.spark.SampleParser.Problem;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs {@code data calls} over any number of function-calling records. */
@Command(
        name = "calls",
        description = {
            "Make sets of function-calling records (Berkeley leaderboard's format), each with its own functions.",
            "Writes sft and gold, JSON Lines, below train and test, and function_pool.json last."
        },
        footer = {
            "",
            "Example:",
            "  prpf-spark calls --config configs/data-calls.yaml --reasoner models/smollm2 --out calls \\",
            "      --questions questions --answers answers --irrelevant irrelevant"
        })
final class CallsJob extends SparkJob {
    @Mixin
    private CallsOptions options = new CallsOptions();

    @Mixin
    private InputOptions input = new InputOptions();

    private record Summary(@Nullable String out, @JsonUnwrapped CallSet.Counts counts) {}

    /** A record and its answer, unparsed; without an answer if no function serves the request. */
    private record CallLine(Source question, @Nullable Source answer) implements Serializable {
        CallRecord record() {
            return CallRecordReader.parse(question, answer);
        }
    }

    /** Makes prompts in tasks, with the tokenizer of a model that every executor sees. */
    private record Prompts(DataCallsConfig config, String model) implements Serializable {
        CallPrompts open() {
            return ExecutorModels.of(
                    this, CallPrompts.class, () -> new CallPrompts(config, PromptProvenance.tokenizer(Path.of(model))));
        }
    }

    @Override
    ExitCode run(SparkSession spark) {
        Prompts prompts = new Prompts(options.configuration(), options.model.toString());
        prompts.open(); // fails on the driver if no executor could load it
        OutputFolder.requireFree("--out", options.out, spark.sparkContext());
        JavaRDD<CallLine> lines = lines(spark);
        JavaRDD<CallSelection.Facts> facts =
                lines.map(line -> prompts.open().facts(line.record())).persist(StorageLevel.MEMORY_AND_DISK());
        facts.count(); // by all executors; the iterator below computes one partition at a time
        CallSelection selection = new CallSelection(prompts.config().set());
        facts.toLocalIterator().forEachRemaining(selection::add);
        CallSelection.Selected selected = selection.split();
        if (!options.dryRun) {
            write(lines, prompts, selected.train(), "train");
            write(lines, prompts, selected.test(), "test");
            byte[] pool = FunctionPoolFile.text(selected.pool()).getBytes(StandardCharsets.UTF_8);
            OutputFolder.write(options.out, "function_pool.json", pool, spark.sparkContext());
        }
        options.print(new Summary(options.dryRun ? null : options.out, selected.counts()));
        return ExitCode.DONE;
    }

    private void write(JavaRDD<CallLine> lines, Prompts prompts, BitSet indices, String side) {
        JavaRDD<CallSet.Entry> entries = lines.zipWithIndex()
                .filter(line -> indices.get(Math.toIntExact(line._2())))
                .map(line -> prompts.open().entry(line._1().record(), side.equals("test")));
        String folder = options.out + "/" + side;
        entries.map(entry -> SftRecords.line(entry.record())).saveAsTextFile(folder + "/sft");
        entries.map(entry -> SampleWriter.line(entry.sample())).saveAsTextFile(folder + "/gold");
    }

    /** Returns all records in the order of the options and of their lines. */
    private JavaRDD<CallLine> lines(SparkSession spark) {
        List<JavaRDD<CallLine>> all = new ArrayList<>();
        for (int i = 0; i < options.questions.size(); i++) {
            all.add(joined(spark, options.questions.get(i), options.answers.get(i)));
        }
        options.irrelevant.forEach(questions -> all.add(joined(spark, questions, null)));
        return all.stream().reduce(JavaRDD::union).orElseThrow();
    }

    /** Joins records with their answers; 65, naming the first, for a record that is invalid, duplicate or unpaired. */
    private JavaRDD<CallLine> joined(SparkSession spark, String questions, @Nullable String answers) {
        JavaRDD<Numbered> asked = readable(spark, questions, ParquetColumns.CALLS);
        JavaRDD<Numbered> answered =
                answers == null ? asked.filter(line -> false) : readable(spark, answers, ParquetColumns.CALL_ANSWERS);
        JavaRDD<Pair> pairs = Pair.joined(asked, line -> source(line, "").id(), answered, line -> source(line, "")
                .id());
        Problem.requireNone(pairs.flatMap(pair ->
                Problem.of(pair.index(), () -> line(pair, questions, answers).record())));
        return pairs.map(pair -> line(pair, questions, answers));
    }

    private JavaRDD<Numbered> readable(SparkSession spark, String place, ParquetColumns columns) {
        JavaRDD<Numbered> lines = input.lines(spark, place, columns);
        if (lines.isEmpty()) {
            throw CallRecordReader.none(place);
        }
        Problem.requireNone(lines.flatMap(
                line -> Problem.of(line.index(), () -> source(line, place).id())));
        return lines;
    }

    private static CallLine line(Pair pair, String questions, @Nullable String answers) {
        Source question = only(pair.left(), questions, pair.id());
        Source answer = answers == null ? null : only(pair.right(), answers, pair.id());
        if (question == null) {
            throw CallRecordReader.unpaired(Objects.requireNonNull(answer).place(), pair.id(), questions);
        }
        if (answer == null && answers != null) {
            throw CallRecordReader.unpaired(question.place(), pair.id(), answers);
        }
        return new CallLine(question, answer);
    }

    private static @Nullable Source only(List<Numbered> lines, String input, String id) {
        if (lines.size() > 1) {
            throw CallRecordReader.twice(lines.get(1).place(input), id);
        }
        return lines.isEmpty() ? null : source(lines.get(0), input);
    }

    private static Source source(Numbered line, String input) {
        return new Source(line.place(input), line.text());
    }
}
