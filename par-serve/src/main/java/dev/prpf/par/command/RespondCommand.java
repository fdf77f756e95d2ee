package dev.prpf.par.command;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.command.ResultStream;
import dev.prpf.data.io.RecordLines;
import dev.prpf.data.run.PrpfException;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PredictionLines;
import dev.prpf.par.model.Decoder;
import dev.prpf.par.model.Finish;
import dev.prpf.par.model.Generation;
import dev.prpf.par.model.GenerationSettings;
import dev.prpf.par.model.Generator;
import dev.prpf.par.model.HuggingFaceDirectory;
import dev.prpf.par.model.Precision;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.training.SetPrompt;
import dev.prpf.par.training.SftRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code prpf par respond}: a model's greedy responses to the prompts of an SFT set, as predictions. */
@Command(
        name = "respond",
        description = {
            "Answer the prompts of an SFT set greedily, without perceiver or gate.",
            "Writes predictions, which eval score scores and eval compare compares."
        },
        footer = {
            "",
            "Example:",
            "  ./prpf par respond --model runs/par-sft/model --examples data/calls/test/sft.jsonl --out runs/sft.predictions.jsonl"
        })
public final class RespondCommand implements Callable<Integer> {
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

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "Predictions, JSON Lines; replaced.")
    private Path out;

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

    @Option(names = "--json", description = "The summary as JSON on stdout; all else on stderr.")
    private boolean json;

    @Override
    public Integer call() {
        requireAtLeastOne("--max-new", maxNew);
        requireAtLeastOne("--batch-size", batchSize);
        PromptProvenance provenance = PromptProvenance.read(model);
        try (Tokenizer tokenizer = Tokenizer.load(model)) {
            provenance.requireTokenizer(tokenizer.sha256(), model);
            List<SftRecord> records = new ArrayList<>();
            new RecordLines<>(SftRecord.class, "SFT record").read(examples, (place, record) -> records.add(record));
            List<SetPrompt> prompts = SetPrompt.of(records, examples.toString(), provenance.prompt(), tokenizer);
            requireRoom(prompts);
            long start = System.nanoTime();
            List<Generation> responses = responses(prompts);
            List<Prediction> predictions = new ArrayList<>();
            for (int i = 0; i < prompts.size(); i++) {
                predictions.add(prediction(
                        prompts.get(i), tokenizer.decode(responses.get(i).said())));
            }
            PredictionLines.write(out, predictions);
            ResultStream.figures(summary(predictions, responses, (System.nanoTime() - start) / 1e9), json);
        }
        return 0;
    }

    private static void requireAtLeastOne(String option, int value) {
        if (value < 1) {
            throw PrpfException.usage(option + " = " + value + ", must be at least 1");
        }
    }

    /** The last new token needs no position. */
    private void requireRoom(List<SetPrompt> prompts) {
        int longest =
                prompts.stream().mapToInt(prompt -> prompt.ids().length).max().orElse(0);
        int positions = HuggingFaceDirectory.open(model).config().maxPositions();
        if (longest + maxNew - 1 > positions) {
            throw PrpfException.usage("--max-new = " + maxNew + ": the longest prompt has " + longest + " tokens and "
                    + model + " " + positions + " positions, so it must be at most " + (positions - longest + 1));
        }
    }

    private List<Generation> responses(List<SetPrompt> prompts) {
        List<Integer> end = HuggingFaceDirectory.open(model).requiredEndTokens();
        try (Decoder decoder = Decoder.load(model, dtype)) {
            return new Generator(decoder)
                    .generate(
                            prompts.stream().map(SetPrompt::ids).toList(),
                            GenerationSettings.greedy(maxNew, end, batchSize));
        }
    }

    private static Prediction prediction(SetPrompt prompt, String text) {
        List<List<FunctionCall>> calls = ResponseParser.parse(text, prompt.form()) instanceof ParResponse.Parsed parsed
                ? parsed.recommendations().stream().map(Recommendation::calls).toList()
                : null;
        return new Prediction(prompt.id(), Prediction.Route.REASONED, null, Map.of(), text, calls);
    }

    private Map<String, @Nullable Object> summary(
            List<Prediction> predictions, List<Generation> responses, double seconds) {
        Map<String, @Nullable Object> summary = new LinkedHashMap<>();
        summary.put("out", out.toString());
        summary.put("n", predictions.size());
        summary.put(
                "malformed",
                predictions.stream()
                        .filter(prediction -> prediction.calls() == null)
                        .count());
        summary.put(
                "cut_off",
                responses.stream()
                        .filter(response -> response.finish() == Finish.LENGTH)
                        .count());
        summary.put(
                "new_tokens",
                responses.stream().mapToLong(response -> response.ids().length).sum());
        summary.put("seconds", seconds);
        return summary;
    }
}
