package dev.prpf.par.sets;

import dev.prpf.data.Sample;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.par.augment.Augmentation;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;

/**
 * Examples whose samples are rewritten before every epoch with values of the samples that are trained on; one that grows over-long by it
 * stays as the data have it.
 */
final class AugmentedExamples implements SftExampleSource {
    /** Writes the example at a place from a form of its sample. */
    interface Writer {
        SftExample write(int index, Sample form, UnaryOperator<CandidatePool> pool);
    }

    private final List<SftExample> examples;
    private final List<Sample> samples;
    private final SftExampleSettings settings;
    private final Writer writer;

    /**
     * @param samples of the examples, one each
     */
    AugmentedExamples(List<SftExample> examples, List<Sample> samples, SftExampleSettings settings, Writer writer) {
        this.examples = List.copyOf(examples);
        this.samples = List.copyOf(samples);
        this.settings = settings;
        this.writer = writer;
    }

    @Override
    public List<SftExample> examples() {
        return examples;
    }

    @Override
    public IntFunction<List<SftExample>> training(List<Integer> places) {
        Augmentation augmentation = new Augmentation(
                settings.augmentation(), places.stream().map(samples::get).toList(), settings.seed());
        return epoch -> places.stream()
                .map(place -> rewritten(place, epoch, augmentation))
                .toList();
    }

    private SftExample rewritten(int place, int epoch, Augmentation augmentation) {
        Sample form = augmentation.rewrite(samples.get(place), epoch);
        if (form == null) {
            return examples.get(place);
        }
        SftExample example = writer.write(place, form, pool -> augmentation.thin(pool, form, epoch));
        return example.length() <= settings.maxLength() ? example : examples.get(place);
    }
}
