package dev.prpf.par.command;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.prpf.base.command.CascadePart;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.run.StopSignal;
import dev.prpf.par.command.LocalDecodingOptions.UsualPrecision;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.Generator;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.generate.SamplingParams.Sampling;
import dev.prpf.par.generate.SamplingParams.StoppingCriteria;
import dev.prpf.par.huggingface.GenerationDefaults;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.tokenizer.TokenizerFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf reasoner generate}: continues one prompt, given as text or as tokens, once or several times. */
@Command(
        name = "generate",
        defaultValueProvider = UsualPrecision.class,
        description = {
            "Continue a prompt with a model, as its generation_config.json says.",
            "With --json: {\"ids\", \"text\", \"logprobs\"} of the new tokens. With --n above 1 the first"
                    + " sample, and \"samples\" with {\"seed\", \"ids\", \"text\", \"logprobs\","
                    + " \"sampling_logprobs\", \"finish\"}. The logprobs are the model's own (temperature 1, without truncation);"
                    + " sampling_logprobs those of the sampling distribution."
        },
        footer = {
            "",
            "Example: ./prpf reasoner generate --reasoner runs/reasoner/model --ids 5,9,2 --max-new 64 --greedy --json",
            "Example: ./prpf reasoner generate --reasoner DIR --prompt 'Once upon' --n 4 --temperature 0.8 --top-p 0.95 --stop"
                    + " '.'"
        })
final class GenerateCommand implements Runnable {
    private static final int DEFAULT_LENGTH = 64;
    private static final int MAX_SAMPLES = 65_536;

    @Option(
            names = "--reasoner",
            converter = CascadePart.Reasoner.class,
            required = true,
            paramLabel = "DIR",
            description = "A Hugging Face model directory, a training's run or a cascade.")
    private Path model;

    @ArgGroup(multiplicity = "1")
    private PromptOption prompt = new PromptOption();

    @Option(
            names = "--special-tokens",
            description =
                    "Read control tokens such as <|im_start|> in --prompt as what they are, not as their letters.")
    private boolean specialTokens;

    @Mixin
    private ImagesOption images;

    @Option(
            names = "--max-new",
            paramLabel = "N",
            description = "New tokens at most (default: 64, or as many as the model has positions left).")
    private @Nullable Integer maxNew;

    @Option(
            names = "--n",
            defaultValue = "1",
            paramLabel = "N",
            description = "Samples of the prompt, which is computed once (default: ${DEFAULT-VALUE}).")
    private int count;

    @Mixin
    private SamplingOptions choice = new SamplingOptions();

    @Option(
            names = "--stop",
            paramLabel = "TEXT",
            description = "End when the text contains this; the text is cut off before it. May be repeated.")
    private List<String> stops = new ArrayList<>();

    @Option(names = "--ignore-eos", description = "Continue to --max-new tokens or a --stop.")
    private boolean ignoreEnd;

    @Option(
            names = "--seed",
            defaultValue = "0",
            description = "Of the draws; the samples have this and those that follow it (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = "--dtype", description = "fp32, bf16 or int8 (default: fp32; bf16 on a GPU).")
    private Precision precision;

    @Mixin
    private JsonOption output;

    private static final class PromptOption {
        @Option(names = "--ids", split = ",", paramLabel = "ID", description = "The prompt as tokens.")
        private long @Nullable [] ids;

        @Option(names = "--prompt", paramLabel = "TEXT", description = "The prompt; needs tokenizer.json.")
        private @Nullable String text;
    }

    /** Creates the signal handler; tests set their own. */
    Supplier<StopSignal> signals = StopSignal::install;

    @Override
    public void run() {
        if (count < 1 || count > MAX_SAMPLES) {
            throw new UsageException("--n = " + count + ", must be from 1 to " + MAX_SAMPLES);
        }
        HuggingFaceDirectory directory = HuggingFaceDirectory.open(model);
        try (Tokenizer tokenizer = tokenizerIfThere()) {
            Prompt seen = seen(directory, promptIds(tokenizer));
            SamplingParams params = params(directory, tokenizer, seen.length());
            List<GenerationRequest> requests = new GenerationRequest(seen, params, seed, null).samples(count);
            GeneratedSamples samples = GeneratedSamples.of(requests, generate(requests), tokenizer);
            output.printLines(samples, samples::lines);
        }
    }

    private Prompt seen(HuggingFaceDirectory directory, long[] ids) {
        boolean expanded = prompt.ids != null;
        if (images.none()) {
            return images.see(directory, precision, ids, expanded);
        }
        try (StopSignal stop = signals.get()) {
            Prompt seen = images.see(directory, precision, ids, expanded);
            stop.requireNone();
            return seen;
        }
    }

    /** Returns the tokenizer, or null; a prompt of tokens needs none. */
    private @Nullable Tokenizer tokenizerIfThere() {
        return Files.isRegularFile(model.resolve(TokenizerFiles.TOKENIZER)) ? Tokenizer.load(model) : null;
    }

    private Tokenizer required(@Nullable Tokenizer tokenizer, String option) {
        if (tokenizer == null) {
            throw new UnavailableException(model + ": there is no " + TokenizerFiles.TOKENIZER + " here, so " + option
                    + " cannot be read; put the model's there, or give tokens with --ids and go without it");
        }
        return tokenizer;
    }

    private long[] promptIds(@Nullable Tokenizer own) {
        if (prompt.text != null) {
            Tokenizer tokenizer = required(own, "--prompt");
            return specialTokens ? tokenizer.encodeControl(prompt.text) : tokenizer.encodeFirst(prompt.text);
        }
        if (prompt.ids == null) {
            throw new IllegalStateException("picocli lets one of --ids and --prompt through");
        }
        return prompt.ids;
    }

    private SamplingParams params(HuggingFaceDirectory directory, @Nullable Tokenizer tokenizer, int promptLength) {
        GenerationDefaults defaults = directory.generationDefaults();
        Sampling sampling = choice.sampling(defaults);
        if (sampling == null && count > 1) {
            throw new UsageException("--n = " + count
                    + ": the likeliest tokens are the same in every sample; give a --temperature above 0 to draw");
        }
        return new SamplingParams(
                length(directory.config().maxPositions() - promptLength + 1, promptLength),
                sampling,
                choice.repetitionPenalty(defaults),
                ending(defaults, tokenizer));
    }

    /** Returns the stopping criteria. A stop text that is a control token, which has no text, becomes a stop token. */
    private StoppingCriteria ending(GenerationDefaults defaults, @Nullable Tokenizer own) {
        Set<Integer> tokens = new HashSet<>(ignoreEnd ? List.of() : defaults.endTokens());
        List<String> asked = new ArrayList<>(ignoreEnd ? List.of() : defaults.stopTexts());
        asked.addAll(stops);
        if (asked.isEmpty()) {
            return new StoppingCriteria(tokens, List.of(), null);
        }
        if (asked.contains("")) {
            throw new UsageException("--stop is empty: it would end every sample at once");
        }
        Tokenizer tokenizer = required(own, "--stop");
        List<String> texts = new ArrayList<>();
        for (String stop : asked) {
            Long id = tokenizer.controlTokens().get(stop);
            if (id != null && tokenizer.decodeText(new long[] {id}).isEmpty()) {
                tokens.add(Math.toIntExact(id));
            } else {
                texts.add(stop);
            }
        }
        return new StoppingCriteria(tokens, texts, tokenizer::decodeText);
    }

    /**
     * Returns the number of new tokens. Checked before the first step, so that an impossible request fails at once.
     *
     * @param room positions for new tokens; the last one needs none
     */
    private int length(int room, int promptLength) {
        if (maxNew == null) {
            return Math.max(1, Math.min(DEFAULT_LENGTH, room));
        }
        if (maxNew < 1) {
            throw new UsageException("--max-new = " + maxNew + ", must be at least 1");
        }
        if (room > 0 && maxNew > room) {
            throw new UsageException("--max-new = " + maxNew + ": the model has " + (promptLength + room - 1)
                    + " positions and the prompt takes " + promptLength + ", so it must be at most " + room);
        }
        return maxNew;
    }

    private List<Generation> generate(List<GenerationRequest> requests) {
        // Without this the JVM would unload the engine's libraries during a product, which crashes it.
        try (StopSignal stop = signals.get();
                CausalLm decoder = HuggingFaceDirectory.open(model).decoder(precision)) {
            List<Generation> samples = new Generator(decoder).generate(requests, count, stop::requested);
            stop.requireNone();
            return samples;
        }
    }

    /** The output of {@code reasoner generate}: the first sample, and all if there are several; no text without a tokenizer. */
    record GeneratedSamples(
            long[] ids,
            @Nullable String text,
            float[] logprobs,
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<Sample> samples) {
        record Sample(
                long seed,
                long[] ids,
                @Nullable String text,
                float[] logprobs,
                float[] samplingLogprobs,
                FinishReason finish) {}

        static GeneratedSamples of(
                List<GenerationRequest> requests, List<Generation> generations, @Nullable Tokenizer tokenizer) {
            List<Sample> samples = IntStream.range(0, generations.size())
                    .mapToObj(i -> sample(requests.get(i), generations.get(i), tokenizer))
                    .toList();
            Sample first = samples.get(0);
            return new GeneratedSamples(first.ids, first.text, first.logprobs, samples.size() > 1 ? samples : null);
        }

        /** Returns a sample; its text ends before the stop text. */
        private static Sample sample(GenerationRequest request, Generation generation, @Nullable Tokenizer tokenizer) {
            StoppingCriteria stopping = request.params().ending();
            String text = tokenizer == null ? null : tokenizer.decodeText(generation.ids());
            return new Sample(
                    request.seed(),
                    generation.ids(),
                    text != null && generation.finish() == FinishReason.STOP_TEXT ? stopping.before(text) : text,
                    generation.logProbabilities(),
                    generation.samplingLogProbabilities(),
                    generation.finish());
        }

        /** Returns the texts of all samples, or their tokens without a tokenizer. */
        List<String> lines() {
            return samples == null
                    ? List.of(line(text, ids))
                    : samples.stream()
                            .map(sample -> line(sample.text, sample.ids))
                            .toList();
        }

        private static String line(@Nullable String text, long[] ids) {
            return text == null ? Arrays.toString(ids) : text;
        }
    }
}
