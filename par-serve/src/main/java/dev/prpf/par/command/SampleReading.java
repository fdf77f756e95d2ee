package dev.prpf.par.command;

import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.run.MppRun;
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.sets.PerceivedSample;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What the prompts of samples need beside the samples: the perceiver's scenes, if there is one, and the text of screenshots. */
final class SampleReading implements AutoCloseable {
    private final EncoderSettings settings;
    private final SampleEncoder encoder;
    private final @Nullable Perceiver perceiver;

    /**
     * Opens encoder and perceiver.
     *
     * @param mpp run or checkpoint of a perceiver, or directory of perceivers of folds; null to go without
     */
    SampleReading(@Nullable Path mpp, EncoderSettings settings, ScenarioCatalog catalog) {
        this.settings = settings;
        encoder = SampleEncoder.open(settings);
        try {
            perceiver = mpp == null ? null : new MppRun(mpp).perceiverForTraining(encoder, catalog);
        } catch (RuntimeException e) {
            encoder.close();
            throw e;
        }
    }

    /**
     * The samples that prompts will be made of, with the perceiver's predictions.
     *
     * @throws dev.prpf.base.error.PrpfException 65 if a screenshot of one is missing, before the first is read
     */
    List<PerceivedSample> perceived(List<Sample> samples) {
        samples.forEach(settings::requirePictures);
        if (perceiver == null) {
            return PerceivedSample.without(samples);
        }
        List<Perception> perceptions = perceiver.perceive(samples);
        return IntStream.range(0, samples.size())
                .mapToObj(i -> new PerceivedSample(samples.get(i), perceptions.get(i)))
                .toList();
    }

    ScreenTexts screens() {
        return encoder::screenText;
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
