package dev.prpf.par.command;

import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.command.CatalogOptions;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.io.SampleReader;
import dev.prpf.mpp.run.MppRun;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.reward.RewardGold;
import dev.prpf.par.sets.CandidateSettings;
import dev.prpf.par.sets.PromptExamples;
import dev.prpf.par.sets.RolloutPromptSettings;
import dev.prpf.par.sets.SamplePrompts;
import dev.prpf.par.tokenizer.Tokenizer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What prompts of samples need beside the samples; a mixin. */
final class SampleOptions extends CatalogOptions {
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
            description = "Root of the screenshots' paths (default: encoder.images).")
    @Nullable
    Path images;

    @Option(names = "--store", paramLabel = "DIR", description = "Encodings (default: encoder.store).")
    @Nullable
    Path store;

    SampleReading reading(EncoderSettings configured) {
        return new SampleReading(mpp, configured.with(store, images), catalog());
    }

    /** What writes the prompts of the samples that are read. */
    SamplePrompts prompts(SampleReading reading, PromptSettings prompt, CandidateSettings candidates) {
        ScenarioCatalog catalog = catalog();
        return new SamplePrompts(
                functions(), catalog, new PromptRenderer(prompt, catalog, reading.screens()), candidates);
    }

    /** What a run's identity holds of these: sums of the files, of {@code --mpp} also its name. */
    Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("pool_sha256", poolSha256());
        facts.put("scenarios_sha256", scenariosSha256());
        facts.put("mpp", mpp == null ? "none" : mpp.toString());
        facts.put("mpp_sha256", mpp == null ? "none" : new MppRun(mpp).sha256());
        return facts;
    }

    /** What a run's identity holds of the images that samples name; nothing without samples or images. */
    Map<String, String> pictureFacts(@Nullable Path data, EncoderSettings configured) {
        return data == null ? Map.of() : configured.with(store, images).pictureFacts("pictures_sha256", data);
    }

    /** Samples that responses can be rewarded against, by id; see {@link RewardGold#of}. */
    Map<String, Sample> rewarded(Path file, List<Sample> samples) {
        return RewardGold.of(samples, file.toString(), functions(), place());
    }

    /** Prompts of samples whose responses can be rewarded. */
    PromptExamples rolloutPrompts(
            Path data,
            EncoderSettings configured,
            PromptSettings prompt,
            Tokenizer tokenizer,
            RolloutPromptSettings settings) {
        List<Sample> samples = settings.drawn(SampleReader.readAll(data));
        rewarded(data, samples);
        try (SampleReading reading = reading(configured)) {
            SamplePrompts prompts = prompts(reading, prompt, settings.candidates());
            return PromptExamples.ofSamples(reading.perceived(samples), prompts, tokenizer, settings);
        }
    }
}
