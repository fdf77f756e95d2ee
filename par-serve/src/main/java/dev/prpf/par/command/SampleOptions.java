package dev.prpf.par.command;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.io.FunctionPoolReader;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.mpp.MppModel;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.reward.RewardGold;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.training.RolloutPromptSettings;
import dev.prpf.par.training.RolloutPrompts;
import dev.prpf.par.training.SftSet;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What prompts of samples need beside the samples; a mixin. */
final class SampleOptions {
    @Option(names = "--pool", paramLabel = "FILE", description = "Function pool (default: the shipped one).")
    @Nullable
    Path pool;

    @Option(names = "--scenarios", paramLabel = "FILE", description = "Scenario file (default: the shipped one).")
    @Nullable
    Path scenarios;

    @Option(
            names = "--mpp",
            paramLabel = "RUN",
            description =
                    "The perceiver whose scenes enter the prompts; of mpp train --folds each record's own (default:"
                            + " gold scenarios and random others).")
    @Nullable
    Path mpp;

    @Option(
            names = "--images",
            paramLabel = "DIR",
            description = "Root of the picture paths (default: encoder.images).")
    @Nullable
    Path images;

    @Option(names = "--store", paramLabel = "DIR", description = "Encodings (default: encoder.store).")
    @Nullable
    Path store;

    FunctionPool functions() {
        return FunctionPoolReader.readOrShipped(pool);
    }

    ScenarioCatalog catalog() {
        return ScenarioCatalogReader.readOrShipped(scenarios);
    }

    SampleReading reading(EncoderSettings configured, ScenarioCatalog catalog) {
        return SampleReading.open(mpp, configured.with(store, images), catalog);
    }

    /** What a run's identity holds of these: sums of the files, of {@code --mpp} also its name. */
    Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("pool_sha256", pool == null ? "shipped" : AtomicFiles.sha256(pool));
        facts.put("scenarios_sha256", scenarios == null ? "shipped" : AtomicFiles.sha256(scenarios));
        facts.put("mpp", mpp == null ? "none" : mpp.toString());
        facts.put("mpp_sha256", mpp == null ? "none" : MppModel.sha256(mpp));
        return facts;
    }

    /** What a run's identity holds of the images that samples name; nothing without samples or images. */
    Map<String, String> pictureFacts(@Nullable Path data, EncoderSettings configured) {
        return data == null ? Map.of() : configured.with(store, images).pictureFacts("pictures_sha256", data);
    }

    /** Samples that responses can be rewarded against, by id; see {@link RewardGold#of}. */
    Map<String, Sample> rewarded(Path file, List<Sample> samples) {
        return RewardGold.of(
                samples, file.toString(), functions(), pool == null ? "the shipped pool" : pool.toString());
    }

    /** Prompts of samples whose responses can be rewarded. */
    RolloutPrompts rolloutPrompts(
            Path data,
            EncoderSettings configured,
            PromptSettings prompt,
            Tokenizer tokenizer,
            RolloutPromptSettings settings) {
        List<Sample> samples = settings.drawn(SampleReader.readAll(data));
        rewarded(data, samples);
        ScenarioCatalog catalog = catalog();
        try (SampleReading reading = reading(configured, catalog)) {
            SftSet.World world = new SftSet.World(functions(), catalog, reading.renderer(prompt));
            return RolloutPrompts.ofSamples(samples, reading.perceptions(samples), world, tokenizer, settings);
        }
    }
}
