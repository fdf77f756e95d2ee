package dev.prpf.par.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.KeyedLines;
import dev.prpf.base.run.Resume;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.command.PoolOption;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PredictionLines;
import dev.prpf.par.engine.Decoder;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.generate.GenerationSettings;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.par.tokenizer.Tokenizer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine;

/** {@code prpf par respond}: a model's greedy responses to the prompts of an SFT set, as predictions. */
@Command(
        name = "respond",
        description = {
            "Answer the prompts of an SFT set greedily, without perceiver or gate.",
            "Writes predictions, which eval score scores and eval compare compares; run again to resume."
        },
        footer = {
            "",
            "Example:",
            "  ./prpf par respond --model runs/calls-sft/model --examples data/calls/test/sft.jsonl --run-dir"
                    + " runs/answers-sft"
        })
public final class RespondCommand implements Callable<Integer> {
    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    /** What decides the responses, beside model and prompts. */
    record Settings(int maxNew, int batchSize, Precision dtype, boolean constrained) {}

    @Option(
            names = "--model",
            required = true,
            paramLabel = "DIR",
            description = "A model with prpf.json: of par sft, par grpo or par adopt.")
    private Path model;

    @Option(
            names = "--examples",
            required = true,
            paramLabel = "FILE",
            description = "An SFT set; its targets are not read.")
    private Path examples;

    @Option(
            names = "--run-dir",
            required = true,
            paramLabel = "DIR",
            description = "Where predictions.jsonl goes; run again to go on.")
    private Path directory;

    @Option(
            names = "--resume",
            paramLabel = "MODE",
            defaultValue = "auto",
            description = "auto, required or never (default: ${DEFAULT-VALUE}).")
    private Resume resume;

    @Option(
            names = "--max-new",
            defaultValue = "256",
            paramLabel = "N",
            description = "Tokens of a response at most (default: ${DEFAULT-VALUE}).")
    private int maxNew;

    @Option(
            names = "--batch-size",
            defaultValue = "16",
            paramLabel = "N",
            description = "Prompts decoded together (default: ${DEFAULT-VALUE}).")
    private int batchSize;

    @Option(names = "--dtype", defaultValue = "fp32", description = "fp32, bf16 or int8 (default: ${DEFAULT-VALUE}).")
    private Precision dtype;

    @Option(
            names = "--constrained",
            description = "Responses that are always of the grammar and call only functions that their prompt shows.")
    private boolean constrained;

    @Mixin
    private PoolOption pool;

    @Mixin
    private JsonOption output;

    @Override
    public Integer call() {
        if (pool.pool != null && !constrained) {
            throw new UsageException("--pool " + pool.pool + " goes with --constrained");
        }
        requireAtLeastOne("--max-new", maxNew);
        requireAtLeastOne("--batch-size", batchSize);
        PromptProvenance provenance = PromptProvenance.read(model);
        try (Tokenizer tokenizer = Tokenizer.load(model)) {
            provenance.requireTokenizer(tokenizer.sha256(), model);
            List<PromptExample> prompts = SftRecords.read(examples)
                    .requirePrompts(provenance.prompt())
                    .prompts(tokenizer, constrained ? pool.functions() : null);
            HuggingFaceDirectory.open(model).requireRoom(PromptExample.longest(prompts), maxNew, "--max-new");
            try (RunDirectory run = RunDirectory.open(directory, resume, description())) {
                Map<String, @Nullable Object> summary = respond(prompts, tokenizer);
                run.finish(summary);
                ResultStream.metrics(summary, output.json);
            }
        }
        return 0;
    }

    private Map<String, @Nullable Object> respond(List<PromptExample> prompts, Tokenizer tokenizer) {
        long start = System.nanoTime();
        Path out = directory.resolve("predictions.jsonl");
        List<Integer> end = HuggingFaceDirectory.open(model).requiredEndTokens();
        try (StopSignal stop = StopSignal.install();
                Decoder decoder = HuggingFaceDirectory.open(model).decoder(dtype);
                KeyedLines appender = PredictionLines.open(out)) {
            new Responses(decoder, tokenizer, GenerationSettings.greedy(maxNew, end, batchSize), constrained)
                    .append(prompts, appender, stop, out);
        }
        List<Prediction> predictions = PredictionLines.read(out);
        Map<String, @Nullable Object> summary = new LinkedHashMap<>();
        summary.put("predictions", out.toString());
        summary.put("n", predictions.size());
        summary.put(
                "malformed",
                predictions.stream()
                        .filter(prediction -> prediction.calls() == null)
                        .count());
        summary.put("seconds", (System.nanoTime() - start) / 1e9);
        return summary;
    }

    private RunDescription description() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("model", model.toString());
        facts.put("model_sha256", HuggingFaceDirectory.open(model).sha256());
        facts.put("examples_sha256", AtomicFiles.sha256(examples));
        facts.put("pool_sha256", constrained ? pool.poolSha256() : "none");
        return new RunDescription(
                "par respond",
                spec.commandLine().getParseResult().originalArgs(),
                StrictYaml.write(new Settings(maxNew, batchSize, dtype, constrained)),
                facts);
    }

    private static void requireAtLeastOne(String option, int value) {
        if (value < 1) {
            throw new UsageException(option + " = " + value + ", must be at least 1");
        }
    }
}
