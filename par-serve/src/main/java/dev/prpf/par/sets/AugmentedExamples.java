package dev.prpf.par.sets;

import dev.prpf.data.Sample;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.par.augment.Augmentation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Examples whose samples are rewritten before every epoch; one that grows over-long by it stays as the data have it. */
final class AugmentedExamples implements SftExampleSource {
    /** Writes the example at a place from a form of its sample. */
    interface Writer {
        SftExample write(int index, Sample form, UnaryOperator<CandidatePool> pool);
    }

    private final List<SftExample> examples;
    private final List<Sample> samples;
    private final Augmentation augmentation;
    private final Writer writer;
    private final int maxLength;

    /**
     * @param samples of the examples, one each
     */
    AugmentedExamples(
            List<SftExample> examples, List<Sample> samples, Augmentation augmentation, Writer writer, int maxLength) {
        this.examples = List.copyOf(examples);
        this.samples = List.copyOf(samples);
        this.augmentation = augmentation;
        this.writer = writer;
        this.maxLength = maxLength;
    }

    @Override
    public List<SftExample> examples() {
        return examples;
    }

    @Override
    public List<SftExample> epoch(int epoch) {
        List<SftExample> rewritten = new ArrayList<>();
        for (int i = 0; i < examples.size(); i++) {
            rewritten.add(rewritten(i, epoch));
        }
        return rewritten;
    }

    private SftExample rewritten(int index, int epoch) {
        Sample form = augmentation.rewrite(samples.get(index), epoch);
        if (form == null) {
            return examples.get(index);
        }
        SftExample example = writer.write(index, form, pool -> augmentation.thin(pool, form, epoch));
        return example.length() <= maxLength ? example : examples.get(index);
    }
}
