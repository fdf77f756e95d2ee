package dev.prpf.par.command;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.command.CascadePart;
import dev.prpf.base.command.ConfigOptions;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.data.Sample;
import dev.prpf.data.calls.CallRecord;
import dev.prpf.data.calls.CallRecordReader;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.sets.CallSet;
import dev.prpf.par.sets.DataCallsConfig;
import dev.prpf.par.sets.SftRecords;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf data calls}: converts function-calling records to SFT sets, samples and a pool. */
@Command(
        name = "calls",
        description = {
            "Make sets of function-calling records (Berkeley leaderboard's format), each with its own functions.",
            "Writes train/ and test/, each with sft.jsonl (for reasoner sft, data rollout-set and reasoner respond) and gold.json,"
                    + " and function_pool.json."
        },
        footer = {
            "  ./prpf data calls --config configs/data-calls.yaml --reasoner models/smollm2 --out data/calls \\",
            "      --questions BFCL_v4_simple_python.json --answers possible_answer/BFCL_v4_simple_python.json \\",
            "      --irrelevant BFCL_v4_irrelevance.json"
        })
public final class CallsCommand implements Runnable {
    @Mixin
    private CallsOptions options = new CallsOptions();

    private record Summary(@Nullable String out, @JsonUnwrapped CallSet.Counts counts) {}

    @Override
    public void run() {
        DataCallsConfig config = options.configuration();
        List<CallRecord> records = records();
        try (ChatTokenizer tokenizer = PromptProvenance.tokenizer(options.model)) {
            CallSet set = CallSet.build(records, config, tokenizer);
            if (!options.dryRun) {
                write(set);
            }
            options.print(new Summary(options.dryRun ? null : options.out, set.counts()));
        }
    }

    private List<CallRecord> records() {
        List<CallRecord> records = new ArrayList<>();
        for (int i = 0; i < options.questions.size(); i++) {
            records.addAll(CallRecordReader.read(Path.of(options.questions.get(i)), Path.of(options.answers.get(i))));
        }
        options.irrelevant.forEach(file -> records.addAll(CallRecordReader.readIrrelevant(Path.of(file))));
        return records;
    }

    private void write(CallSet set) {
        Path out = Path.of(options.out);
        write(out.resolve("train"), set.train());
        write(out.resolve("test"), set.test());
        FunctionPoolFile.write(set.pool(), out.resolve("function_pool.json"));
    }

    private static void write(Path directory, List<CallSet.Entry> entries) {
        List<Sample> samples = entries.stream().map(CallSet.Entry::sample).toList();
        SampleWriter.write(directory.resolve("gold.json"), samples.iterator());
        SftRecords.write(
                directory.resolve("sft.jsonl"),
                entries.stream().map(CallSet.Entry::record).toList());
    }

    /** The options of {@code data calls}, on one machine and on Spark; a mixin. */
    public static final class CallsOptions extends ConfigOptions {
        @Option(
                names = "--questions",
                required = true,
                paramLabel = "FILE",
                description = "Records that some function serves (repeatable, each with its --answers).")
        public List<String> questions = List.of();

        @Option(
                names = "--answers",
                required = true,
                paramLabel = "FILE",
                description = "Gold answers for the --questions, in their order (repeatable).")
        public List<String> answers = List.of();

        @Option(
                names = "--irrelevant",
                paramLabel = "FILE",
                description = "Records that no function serves: silence is right (repeatable).")
        public List<String> irrelevant = List.of();

        @Option(
                names = "--reasoner",
                converter = CascadePart.Reasoner.class,
                required = true,
                paramLabel = "DIR",
                description = "The model that is to read the prompts; its tokenizer counts them.")
        public Path model = Path.of("");

        @Option(
                names = "--out",
                required = true,
                paramLabel = "DIR",
                description = "Where the sets go; on one machine replaced.")
        public String out = "";

        /**
         * Reads the configuration of the sets.
         *
         * @throws PrpfException 2 without a configuration, or if --questions and --answers differ in number
         */
        public DataCallsConfig configuration() {
            if (questions.size() != answers.size()) {
                throw new UsageException(questions.size() + " --questions but " + answers.size()
                        + " --answers; give each its own, in the same order");
            }
            return required(DataCallsConfig.class, "data calls");
        }
    }
}
