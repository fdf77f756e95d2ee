package dev.prpf.par.command;

import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.run.MppRun;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.PromptSettings;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the prompts of samples need beside the samples: the perceiver's scenes, if there is one, and what screens say. */
final class SampleReading implements AutoCloseable {
    private final EncoderSettings settings;
    private final SampleEncoder encoder;
    private final ScenarioCatalog catalog;
    private final @Nullable Perceiver perceiver;

    private SampleReading(
            EncoderSettings settings, SampleEncoder encoder, ScenarioCatalog catalog, @Nullable Perceiver perceiver) {
        this.settings = settings;
        this.encoder = encoder;
        this.catalog = catalog;
        this.perceiver = perceiver;
    }

    /** @param mpp run or checkpoint of a perceiver, or directory of perceivers of folds; null to go without */
    static SampleReading open(@Nullable Path mpp, EncoderSettings settings, ScenarioCatalog catalog) {
        SampleEncoder encoder = SampleEncoder.open(settings);
        try {
            return new SampleReading(
                    settings,
                    encoder,
                    catalog,
                    mpp == null ? null : new MppRun(mpp).perceiverForTraining(encoder, catalog));
        } catch (RuntimeException e) {
            encoder.close();
            throw e;
        }
    }

    /**
     * Of all samples that prompts will be made of; null without a perceiver.
     *
     * @throws dev.prpf.base.error.PrpfException 65 if a picture of one is missing, before the first is read
     */
    @Nullable
    List<Perception> perceptions(List<Sample> samples) {
        samples.forEach(settings::requirePictures);
        return perceiver == null ? null : perceiver.perceive(samples);
    }

    PromptRenderer renderer(PromptSettings settings) {
        return new PromptRenderer(settings, catalog, encoder::screenText);
    }

    @Override
    public void close() {
        if (perceiver == null) {
            encoder.close();
        } else {
            perceiver.close();
        }
    }
}
