package dev.prpf.par.command;

import dev.prpf.base.command.ConfigOptions;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.command.CatalogOptions;
import dev.prpf.par.chat.ChatTemplates.ChatMl;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.huggingface.ModelPlace;
import dev.prpf.par.prompt.PromptRenderer.PromptTags;
import dev.prpf.par.response.ResponseGrammar;
import dev.prpf.par.tokenizer.BpeTraining;
import dev.prpf.par.tokenizer.BpeTraining.BpeVocabulary;
import dev.prpf.par.tokenizer.BpeTraining.BpeVocabulary.ControlToken;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.tokenizer.TokenizerFiles;
import dev.prpf.par.vision.VisionConfig;
import dev.prpf.par.vision.VisionConfig.VisionTokens;
import dev.prpf.par.vision.VisionInit;
import dev.prpf.par.vision.VisionTower.VisionWeights;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf reasoner init}: trains a tokenizer on the user's own text and creates a random model for it. */
@Command(
        name = "init",
        description = "Make a small random model with a tokenizer trained on your own text.",
        footer = {
            "",
            "Example: ./prpf reasoner init --config configs/reasoner-init.yaml --text data/synth/train/benchmark_zh.json --out"
                    + " runs/base",
            "Texts are data (a JSON array), pools (a JSON object) or plain UTF-8; names of functions, parameters and"
                    + " scenarios are one token each."
        })
final class ReasonerInitCommand implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(ReasonerInitCommand.class);

    @Mixin
    private ConfigOptions common = new ConfigOptions();

    @Option(
            names = "--text",
            required = true,
            arity = "1..*",
            paramLabel = "FILE",
            description = "What the tokenizer learns from.")
    private List<Path> texts = List.of();

    @Mixin
    private CatalogOptions pool;

    @Option(
            names = "--out",
            required = true,
            paramLabel = "DIR",
            description =
                    "Where the model goes; a folder that is missing, empty or, with --overwrite, holds a model and nothing else.")
    private Path out = Path.of("");

    @Option(
            names = "--vision",
            description =
                    "Make a model that sees, of Qwen3.5's layout; configs/reasoner-init-vision.yaml is an example.")
    private boolean vision;

    @Option(names = "--overwrite", description = "Replace the model in --out, once the new one is whole.")
    private boolean overwrite;

    @Override
    public void run() {
        InitialModel model = vision
                ? InitialModel.of(common.required(ParInitVisionConfig.class, "reasoner init vision"))
                : InitialModel.of(common.required(ParInitConfig.class, "reasoner init"));
        requireFree();
        long start = System.nanoTime();
        BpeVocabulary vocabulary = vocabulary(model);
        double seconds = (System.nanoTime() - start) / 1e9;
        if (!common.dryRun) {
            ModelPlace.model(out).replace(directory -> model.write(vocabulary, directory));
        }
        report(model, vocabulary, seconds);
    }

    /** Refuses a folder in use before minutes of work. */
    private void requireFree() {
        if (ModelPlace.model(out).requireReplaceable() && !overwrite) {
            throw new UsageException(
                    "--out " + out + ": holds a model already; name another, or replace it with --overwrite");
        }
    }

    private BpeVocabulary vocabulary(InitialModel model) {
        TrainingText text = new TrainingText();
        text.add(pool.functions());
        text.add(pool.catalog());
        texts.forEach(file -> text.addFile(file));
        List<String> words = text.words(model.valueCount());
        LOG.info(
                "training the tokenizer on {} texts, {} words are one token each",
                text.texts().size(),
                words.size());
        try {
            BpeTraining training = new BpeTraining(model.tokenizer(), words, model.controlTokens());
            text.texts().forEach(training::add);
            return training.train();
        } catch (IllegalArgumentException e) {
            throw new InvalidConfigurationException(common.config + ": tokenizer: " + e.getMessage());
        }
    }

    private record Result(
            @Nullable String model, long parameters, int vocabulary, int merges, int words, double tokenizerSeconds) {}

    private void report(InitialModel model, BpeVocabulary vocabulary, double seconds) {
        Result result = new Result(
                common.dryRun ? null : out.toString(),
                model.parameterCount(vocabulary.size()),
                vocabulary.size(),
                vocabulary.merges().size(),
                vocabulary.words().size(),
                seconds);
        common.print(
                result,
                () -> String.format(
                        Locale.ROOT,
                        "%s%s: %,d parameters, %,d tokens (%,d merges, %,d words), tokenizer trained in %.1f s",
                        common.dryRun ? "would write " : "",
                        out,
                        result.parameters,
                        result.vocabulary,
                        result.merges,
                        result.words,
                        seconds));
    }

    /**
     * The model created by {@code reasoner init}.
     *
     * @param shape of the text decoder
     * @param vision configuration of a vision-language model; null for a text model
     */
    record InitialModel(
            BpeTraining.Settings tokenizer,
            int valueCount,
            ParInitConfig.Shape shape,
            @Nullable ParInitVisionConfig vision,
            long seed) {
        private static final String END_OF_TEXT = "<|endoftext|>";
        private static final String PADDING = "<pad>";
        private static final String VISION_START = "<|vision_start|>";
        private static final String VISION_END = "<|vision_end|>";
        private static final String IMAGE = Piece.IMAGE_PAD;
        /** Videos are not supported here, but transformers' processor requires their placeholder. */
        private static final String VIDEO = "<|video_pad|>";

        private static final String PREPROCESSOR = "preprocessor_config.json";
        /** Where transformers' processors look for the template; tokenizers find it in their configuration. */
        private static final String TEMPLATE = "chat_template.jinja";

        static InitialModel of(ParInitConfig config) {
            return new InitialModel(config.tokenizer(), config.valueCount(), config.model(), null, config.seed());
        }

        static InitialModel of(ParInitVisionConfig config) {
            return new InitialModel(config.tokenizer(), config.valueCount(), config.model(), config, config.seed());
        }

        /** Returns the markers of turns and images, which decoders may drop, and field markers and tags, which are part of texts. */
        List<ControlToken> controlTokens() {
            List<ControlToken> tokens = new ArrayList<>();
            List<String> dropped = new ArrayList<>(List.of(END_OF_TEXT, ChatMl.START, ChatMl.END, PADDING));
            if (vision != null) {
                dropped.addAll(List.of(VISION_START, VISION_END, IMAGE, VIDEO));
            }
            dropped.forEach(text -> tokens.add(new ControlToken(text, true)));
            PromptTags.all().forEach(text -> tokens.add(new ControlToken(text, false)));
            ResponseGrammar.tags().forEach(text -> tokens.add(new ControlToken(text, false)));
            return tokens;
        }

        long parameterCount(int vocabulary) {
            long decoder = decoder(vocabulary, List.of(), 0).parameterCount();
            VisionTokens tokens = new VisionTokens(0, 0, 0, 0);
            return vision == null
                    ? decoder
                    : decoder
                            + vision.vision().config(shape.hiddenSize(), tokens).parameterCount();
        }

        private DecoderConfig decoder(int vocabulary, List<Integer> end, int padding) {
            return vision == null ? shape.decoder(vocabulary, end, padding) : vision.decoder(vocabulary, end, padding);
        }

        void write(BpeVocabulary vocabulary, Path directory) throws IOException {
            TokenizerFiles.write(
                    directory,
                    vocabulary,
                    vision == null ? ChatMl.TEMPLATE : ChatMl.IMAGE_TEMPLATE,
                    ChatMl.END,
                    PADDING,
                    shape.maxPositions());
            try (Tokenizer ids = Tokenizer.load(directory)) {
                List<Integer> end = List.of(id(ids, ChatMl.END), id(ids, END_OF_TEXT));
                DecoderConfig decoder = decoder(vocabulary.size(), end, id(ids, PADDING));
                ModelInit.Scale scale = shape.scale();
                try (DecoderWeights weights = ModelInit.random(decoder, scale, seed)) {
                    if (vision == null) {
                        HuggingFaceDirectory.write(directory, weights, null);
                    } else {
                        writeSeeing(directory, weights, ids, vision.vision());
                    }
                }
            }
        }

        private void writeSeeing(Path directory, DecoderWeights weights, Tokenizer ids, ParInitVisionConfig.Tower tower)
                throws IOException {
            VisionTokens tokens =
                    new VisionTokens(id(ids, IMAGE), id(ids, VIDEO), id(ids, VISION_START), id(ids, VISION_END));
            VisionConfig config = tower.config(shape.hiddenSize(), tokens);
            try (VisionWeights vision = VisionInit.random(config, shape.initializerRange(), seed)) {
                HuggingFaceDirectory.write(directory, weights, vision, null);
            }
            AtomicFiles.writeText(directory.resolve(TEMPLATE), ChatMl.IMAGE_TEMPLATE);
            AtomicFiles.writeText(
                    directory.resolve(PREPROCESSOR),
                    tower.preprocessing().json().toPrettyString() + "\n");
        }

        private static int id(Tokenizer tokenizer, String token) {
            return Math.toIntExact(tokenizer.controlToken(token));
        }
    }
}
