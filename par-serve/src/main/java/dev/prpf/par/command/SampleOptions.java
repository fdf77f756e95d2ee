package dev.prpf.par.command;

import dev.prpf.base.command.CascadePart;
import dev.prpf.base.command.OptionGroup;
import dev.prpf.base.error.Closing;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.command.CatalogOptions;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleEncoders;
import dev.prpf.data.io.SampleReader;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.training.MppRun;
import dev.prpf.par.cascade.PromptedModel;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.reward.RewardGold;
import dev.prpf.par.sets.PromptExamples;
import dev.prpf.par.sets.PromptExamples.RolloutPromptSettings;
import dev.prpf.par.sets.SamplePrompts;
import dev.prpf.par.sets.SamplePrompts.CandidateSettings;
import dev.prpf.par.sets.SamplePrompts.PerceivedSample;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the prompts of samples, without the samples; a mixin. */
@OptionGroup(OptionGroup.DATA)
final class SampleOptions extends CatalogOptions {
    @Option(
            names = "--gate",
            converter = CascadePart.Gate.class,
            paramLabel = "RUN",
            description =
                    "The perceiver whose scenes enter the prompts; of gate train --folds each record's own (default:"
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

    private boolean gateUsed;

    @Override
    public FunctionPool functions() {
        useGate();
        return super.functions();
    }

    @Override
    public ScenarioCatalog catalog() {
        useGate();
        return super.catalog();
    }

    /** Takes functions and scenarios from the gate, unless options name the same ones. */
    private void useGate() {
        if (!gateUsed) {
            gateUsed = true;
            ofGate(mpp);
        }
    }

    /** Opens the perceiver if {@code --gate} names one; encoders open with their first work, which ends with 75 once {@code stop} has a signal. */
    Reading reading(EncoderSettings configured, StopSignal stop) {
        EncoderSettings settings = configured.with(store, images);
        return Closing.ifRefused(new SampleEncoders(settings, one -> SampleEncoder.open(one, stop)), encoders -> {
            Perceiver perceiver = mpp == null ? null : MppRun.of(mpp).perceiverForTraining(encoders, catalog());
            return new Reading(settings, encoders, perceiver);
        });
    }

    /** Refuses a perceiver if prompts show the whole pool. */
    void requireUse(CandidateSettings candidates) {
        if (mpp != null && candidates.shortlist() == null) {
            throw new UsageException("--gate " + mpp
                    + " has no effect: with shortlist = null prompts show the whole pool and no scene; leave it out");
        }
    }

    /** Returns the renderer of prompts for the samples read. */
    SamplePrompts prompts(Reading reading, PromptSettings prompt, CandidateSettings candidates) {
        ScenarioCatalog catalog = catalog();
        return new SamplePrompts(
                functions(), catalog, new PromptRenderer(prompt, catalog, reading.screens()), candidates);
    }

    /** Returns the facts of a run's identity: checksums of files, also the name of {@code --gate}, and checksums of screenshots if data is given. */
    Map<String, Object> facts(@Nullable Path data, EncoderSettings configured) {
        useGate();
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("pool_sha256", poolSha256());
        facts.put("scenarios_sha256", scenariosSha256());
        facts.put("gate", mpp == null ? "none" : mpp.toString());
        facts.put("gate_sha256", mpp == null ? "none" : MppRun.of(mpp).sha256());
        facts.putAll(data == null ? Map.of() : configured.with(store, images).imageFacts("images_sha256", data));
        return facts;
    }

    /** Refuses options without effect on prompts that are already written. */
    void requireNoneFor(String written, boolean showsImages) {
        if (scenarios != null || mpp != null || (images != null && !showsImages)) {
            throw new UsageException("--scenarios, --gate and --images go with --data: the prompts of " + written
                    + " are already written" + (showsImages ? "; only --images applies to their images" : ""));
        }
    }

    ImageFolder folder(EncoderSettings configured) {
        return new ImageFolder(configured.with(store, images).images());
    }

    Path featureStore(EncoderSettings configured) {
        return configured.with(store, images).store();
    }

    /** Opens a model, with its vision encoder if its prompts have images. */
    PromptedModel policy(Path model, EncoderSettings configured, Precision precision) {
        return PromptedModel.open(model).seeing(folder(configured), precision, featureStore(configured));
    }

    /** Returns samples with rewardable responses, by id; see {@link RewardGold#of}. */
    Map<String, Sample> rewarded(Path file, List<Sample> samples) {
        return RewardGold.of(samples, file.toString(), functions(), place());
    }

    /** Returns prompts of samples with rewardable responses. */
    PromptExamples rolloutPrompts(
            Path data,
            EncoderSettings configured,
            PromptedModel policy,
            RolloutPromptSettings settings,
            StopSignal stop) {
        requireUse(settings);
        List<Sample> samples = settings.drawn(SampleReader.readAll(data));
        rewarded(data, samples);
        try (Reading reading = reading(configured, stop)) {
            SamplePrompts prompts = prompts(reading, policy.provenance().prompt(), settings);
            return PromptExamples.ofSamples(reading.perceived(samples), prompts, policy.chat(), settings);
        }
    }

    /**
     * Inputs of the prompts, without the samples: the perceiver's scenes, if there is one, and the text of screenshots.
     *
     * @param encoders of the perceiver; the first also reads screenshots
     */
    record Reading(EncoderSettings settings, SampleEncoders encoders, @Nullable Perceiver perceiver)
            implements AutoCloseable {
        /** Returns the samples with the perceiver's predictions; throws 65 before reading the first if a screenshot is missing. */
        List<PerceivedSample> perceived(List<Sample> samples) {
            samples.forEach(settings::requireImages);
            if (perceiver == null) {
                return PerceivedSample.without(samples);
            }
            List<Perception> perceptions = perceiver.perceive(samples);
            return IntStream.range(0, samples.size())
                    .mapToObj(i -> new PerceivedSample(samples.get(i), perceptions.get(i)))
                    .toList();
        }

        ScreenTexts screens() {
            return ScreenTexts.of(encoders);
        }

        @Override
        public void close() {
            try {
                if (perceiver != null) {
                    perceiver.close();
                }
            } finally {
                encoders.close();
            }
        }
    }

    /** Labelled samples, or an SFT set made of samples; an argument group. */
    static final class DataSource {
        @Option(names = "--data", paramLabel = "FILE", description = "Labelled samples to make prompts of.")
        @Nullable
        Path data;

        @Option(names = "--examples", paramLabel = "FILE", description = "An SFT set made by data sft-set.")
        @Nullable
        Path examples;

        Path file() {
            return data == null ? Objects.requireNonNull(examples) : data;
        }
    }
}
