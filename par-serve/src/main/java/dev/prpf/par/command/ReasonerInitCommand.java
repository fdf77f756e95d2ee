package dev.prpf.par.command;

import dev.prpf.base.command.ConfigOptions;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.data.command.CatalogOptions;
import dev.prpf.par.huggingface.ModelPlace;
import dev.prpf.par.tokenizer.BpeTraining;
import dev.prpf.par.tokenizer.BpeTraining.BpeVocabulary;
import java.nio.file.Path;
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

    /** The output of {@code --json}. */
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
}
