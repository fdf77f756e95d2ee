package dev.prpf.par.command;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.command.ConfigOptions;
import dev.prpf.base.error.UsageException;
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
            "",
            "Example:",
            "  ./prpf data calls --config configs/data-calls.yaml --reasoner models/smollm2 --out data/calls \\",
            "      --questions BFCL_v4_simple_python.json --answers possible_answer/BFCL_v4_simple_python.json \\",
            "      --irrelevant BFCL_v4_irrelevance.json"
        })
public final class CallsCommand implements Runnable {
    @Mixin
    private ConfigOptions common = new ConfigOptions();

    @Option(
            names = "--questions",
            required = true,
            paramLabel = "FILE",
            description = "Records that some function serves (repeatable, each with its --answers).")
    private List<Path> questions = List.of();

    @Option(
            names = "--answers",
            required = true,
            paramLabel = "FILE",
            description = "What is right for the --questions, in their order (repeatable).")
    private List<Path> answers = List.of();

    @Option(
            names = "--irrelevant",
            paramLabel = "FILE",
            description = "Records that no function serves: silence is right (repeatable).")
    private List<Path> irrelevant = List.of();

    @Option(
            names = "--reasoner",
            required = true,
            paramLabel = "DIR",
            description = "The model that is to read the prompts; its tokenizer counts them.")
    private Path model;

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "Where the sets go; replaced.")
    private Path out;

    private record Summary(
            @Nullable String out,
            @JsonUnwrapped CallSet.Counts counts,
            int functions,
            int train,
            long trainSilent,
            int test,
            long testSilent) {}

    @Override
    public void run() {
        if (questions.size() != answers.size()) {
            throw new UsageException(questions.size() + " --questions but " + answers.size()
                    + " --answers; give each file of questions its file of answers, in the same order");
        }
        DataCallsConfig config = common.required(DataCallsConfig.class, "data calls");
        List<CallRecord> records = records();
        try (ChatTokenizer tokenizer = PromptProvenance.tokenizer(model)) {
            CallSet set = CallSet.build(records, config.prompt(), config.set(), tokenizer);
            if (!common.dryRun) {
                write(set);
            }
            common.print(summary(set));
        }
    }

    private List<CallRecord> records() {
        List<CallRecord> records = new ArrayList<>();
        for (int i = 0; i < questions.size(); i++) {
            records.addAll(CallRecordReader.read(questions.get(i), answers.get(i)));
        }
        irrelevant.forEach(file -> records.addAll(CallRecordReader.readIrrelevant(file)));
        return records;
    }

    private void write(CallSet set) {
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

    private Summary summary(CallSet set) {
        return new Summary(
                common.dryRun ? null : out.toString(),
                set.counts(),
                set.pool().size(),
                set.train().size(),
                silent(set.train()),
                set.test().size(),
                silent(set.test()));
    }

    private static long silent(List<CallSet.Entry> entries) {
        return entries.stream().filter(entry -> !entry.record().intervention()).count();
    }
}
