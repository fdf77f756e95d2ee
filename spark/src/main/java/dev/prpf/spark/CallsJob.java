package dev.prpf.spark;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.command.ConfigOptions;
import dev.prpf.base.error.ExitCode;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.par.sets.CallPrompts;
import dev.prpf.par.sets.CallSet;
import dev.prpf.par.sets.DataCallsConfig;
import dev.prpf.spark.CallFacts.Fact;
import dev.prpf.spark.CallFacts.Written;
import java.util.BitSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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
            "  spark-submit --class dev.prpf.spark.Main spark/target/prpf-spark.jar calls \\",
            "      --config configs/data-calls.yaml --reasoner models/smollm2 --questions questions --answers answers \\",
            "      --irrelevant irrelevant --out calls"
        })
final class CallsJob extends SparkJob {
    private static final String POOL = "function_pool.json";

    @Mixin
    private ConfigOptions common = new ConfigOptions();

    @Mixin
    private CallsInput input = new CallsInput();

    @Option(
            names = "--reasoner",
            required = true,
            paramLabel = "DIR",
            description = "The model that will read the prompts, visible to every executor; its tokenizer counts their"
                    + " tokens.")
    private String model = "";

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "Where the sets go.")
    private String out = "";

    private record Summary(
            @Nullable String out,
            @JsonUnwrapped CallSet.Counts counts,
            int functions,
            long train,
            long trainSilent,
            long test,
            long testSilent) {}

    @Override
    ExitCode run(SparkSession spark) {
        input.requirePairs();
        DataCallsConfig config = common.required(DataCallsConfig.class, "data calls");
        CallPrompts.require(config.prompt());
        OutputFolder.requireFree("--out", out, context(spark).hadoopConfiguration());
        ExecutorTokenizer.of(model); // fails on the driver if no executor could load it
        CallFacts facts = new CallFacts(config, model);
        JavaRDD<Fact> known = input.lines(spark).map(facts::fact).persist(StorageLevel.MEMORY_AND_DISK());
        try {
            CallSelection selection = new CallSelection(context(spark), known);
            selection.requireApart();
            JavaPairRDD<Fact, Long> taken = selection.taken();
            Broadcast<BitSet> held = context(spark).broadcast(CallSelection.heldOut(taken, config.set()));
            JavaRDD<Written> written = taken.map(fact ->
                    facts.written(fact._1().line(), held.value().get(fact._2().intValue())));
            CallSet.Counts counts = known.map(Fact::counts).reduce(CallSet.Counts::plus);
            write(written, CallSelection.pool(taken), counts);
            return ExitCode.DONE;
        } finally {
            known.unpersist();
        }
    }

    private void write(JavaRDD<Written> some, FunctionPool pool, CallSet.Counts counted) {
        JavaRDD<Written> written = some.persist(StorageLevel.MEMORY_AND_DISK());
        try {
            JavaRDD<Written> train = written.filter(record -> !record.heldOut());
            JavaRDD<Written> test = written.filter(Written::heldOut);
            Summary summary = summary(train, test, pool, counted);
            if (!common.dryRun) {
                write(train, "train");
                write(test, "test");
                Configuration configuration = written.context().hadoopConfiguration();
                OutputFolder.write(out, POOL, FunctionPoolFile.text(pool), configuration);
            }
            common.print(summary);
        } finally {
            written.unpersist();
        }
    }

    private Summary summary(JavaRDD<Written> train, JavaRDD<Written> test, FunctionPool pool, CallSet.Counts counted) {
        long trained = train.count();
        long held = test.count();
        CallSet.Counts counts = counted.withTaken(Math.toIntExact(trained + held));
        counts.requireBoth(Math.toIntExact(trained), Math.toIntExact(held));
        return new Summary(common.dryRun ? null : out, counts, pool.size(), trained, silent(train), held, silent(test));
    }

    private static long silent(JavaRDD<Written> records) {
        return records.filter(record -> !record.acts()).count();
    }

    private void write(JavaRDD<Written> records, String side) {
        records.map(Written::record).saveAsTextFile(out + "/" + side + "/sft");
        records.map(Written::sample).saveAsTextFile(out + "/" + side + "/gold");
    }
}
