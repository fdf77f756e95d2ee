package dev.prpf.par.command;

import dev.prpf.data.command.ResultStream;
import dev.prpf.data.run.PrpfException;
import dev.prpf.par.model.Decoder;
import dev.prpf.par.model.Generation;
import dev.prpf.par.model.GenerationDefaults;
import dev.prpf.par.model.GenerationSettings;
import dev.prpf.par.model.Generator;
import dev.prpf.par.model.HuggingFaceDirectory;
import dev.prpf.par.model.Precision;
import dev.prpf.par.model.Sampling;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code prpf par generate}: continues one prompt, given as text or as tokens. */
@Command(
        name = "generate",
        description = "Continue a prompt with a model, as its generation_config.json says.",
        footer = {"", "Example: ./prpf par generate --model runs/par/model --ids 5,9,2 --max-new 64 --greedy --json"})
public final class GenerateCommand implements Callable<Integer> {
    private static final int DEFAULT_LENGTH = 64;

    @Option(names = "--model", required = true, paramLabel = "DIR", description = "A Hugging Face model directory.")
    private Path model;

    @ArgGroup(multiplicity = "1")
    private Prompt prompt = new Prompt();

    @Option(
            names = "--max-new",
            paramLabel = "N",
            description = "New tokens at most (default: 64, or as many as the model has positions left).")
    private @Nullable Integer maxNew;

    @Option(names = "--greedy", description = "Always the likeliest token, whatever generation_config.json says.")
    private boolean greedy;

    @Option(names = "--ignore-eos", description = "Go on to --max-new tokens.")
    private boolean ignoreEnd;

    @Option(names = "--seed", defaultValue = "0", description = "Of the draws (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = "--dtype", defaultValue = "FP32", description = "fp32 or bf16 (default: fp32).")
    private Precision precision;

    @Option(names = "--json", description = "The result as one JSON object.")
    private boolean json;

    private static final class Prompt {
        @Option(names = "--ids", split = ",", paramLabel = "ID", description = "The prompt as tokens.")
        private long @Nullable [] ids;

        @Option(names = "--prompt", paramLabel = "TEXT", description = "The prompt; needs tokenizer.json.")
        private @Nullable String text;
    }

    @Override
    public Integer call() {
        HuggingFaceDirectory directory = HuggingFaceDirectory.open(model);
        try (ModelText text = ModelText.of(model)) {
            long[] ids = prompt.text == null ? given() : text.encode(prompt.text);
            Generation generation = generate(directory, ids);
            String written = text.decodeOrNull(generation.ids());
            if (json) {
                ResultStream.json(result(generation, written));
            } else {
                ResultStream.line(written == null ? java.util.Arrays.toString(generation.ids()) : written);
            }
        }
        return 0;
    }

    private long[] given() {
        if (prompt.ids == null) {
            throw new IllegalStateException("picocli lets one of --ids and --prompt through");
        }
        return prompt.ids;
    }

    /** Checked before the first step: nobody waits for a response that cannot come. */
    private int length(int room, int prompt) {
        if (maxNew == null) {
            return Math.max(1, Math.min(DEFAULT_LENGTH, room));
        }
        if (maxNew < 1) {
            throw PrpfException.usage("--max-new = " + maxNew + ", must be at least 1");
        }
        if (room > 0 && maxNew > room) {
            throw PrpfException.usage("--max-new = " + maxNew + ": the model has " + (prompt + room)
                    + " positions and the prompt takes " + prompt + ", so it must be at most " + room);
        }
        return maxNew;
    }

    private Generation generate(HuggingFaceDirectory directory, long[] ids) {
        GenerationDefaults defaults = directory.generationDefaults();
        Sampling sampling = greedy || !defaults.sampled() ? null : defaults.sampling();
        List<Integer> endTokens = ignoreEnd ? List.of() : defaults.endTokens();
        GenerationSettings settings = new GenerationSettings(
                length(directory.config().maxPositions() - ids.length, ids.length), sampling, seed, endTokens, 1);
        try (Decoder decoder = Decoder.load(model, precision)) {
            return new Generator(decoder).generate(List.of(ids), settings).get(0);
        }
    }

    private static Map<String, @Nullable Object> result(Generation generation, @Nullable String text) {
        Map<String, @Nullable Object> result = new LinkedHashMap<>();
        result.put("ids", generation.ids());
        result.put("text", text);
        result.put("logprobs", generation.logProbabilities());
        return result;
    }
}
