package dev.prpf.mpp.training;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.ContextUnit;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.FiniteFeatures;
import dev.prpf.mpp.gate.ClassCounts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

/** Labelled samples with their features, encoded once for any number of trainings. */
public final class LabelledData {
    private final List<Sample> samples;
    private final List<SampleFeatures> features;
    private final IdentityHashMap<SampleFeatures, Sample> sampleOf = new IdentityHashMap<>();

    private LabelledData(List<Sample> samples, List<SampleFeatures> features) {
        this.samples = List.copyOf(samples);
        this.features = List.copyOf(features);
        for (int i = 0; i < features.size(); i++) {
            sampleOf.put(features.get(i), samples.get(i));
        }
    }

    /**
     * Encodes.
     *
     * @param unit what of the context gets a vector of its own
     * @param encoder open; closed by the caller
     * @param samples labelled: {@link #requireBothClasses}
     * @throws PrpfException 65 if a feature is not finite
     */
    public static LabelledData encode(
            List<Sample> samples, SampleEncoder encoder, ScenarioCatalog catalog, ContextUnit unit) {
        List<SampleFeatures> features = encoder.encode(samples, catalog, unit);
        FiniteFeatures.require(features);
        return new LabelledData(samples, features);
    }

    public List<Sample> samples() {
        return samples;
    }

    public List<SampleFeatures> features() {
        return features;
    }

    /** Some of them, in their order. */
    LabelledData where(Predicate<Sample> wanted) {
        List<Sample> some = new ArrayList<>();
        List<SampleFeatures> theirs = new ArrayList<>();
        for (int i = 0; i < samples.size(); i++) {
            if (wanted.test(samples.get(i))) {
                some.add(samples.get(i));
                theirs.add(features.get(i));
            }
        }
        return new LabelledData(some, theirs);
    }

    /** The samples of some of these features, in their order. */
    List<Sample> samplesOf(List<SampleFeatures> some) {
        return some.stream()
                .map(one -> Objects.requireNonNull(sampleOf.get(one), one.id()))
                .toList();
    }

    /**
     * Refuses, before anything is encoded, what no gate can be trained or scored on.
     *
     * @param file whose samples these are
     * @throws PrpfException 65 if a sample has no label, or all want the same
     */
    public static void requireBothClasses(Path file, List<Sample> samples) {
        requireLabels(file, samples);
        long acting = samples.stream().filter(Sample::wantsIntervention).count();
        new ClassCounts(acting, samples.size() - acting).requireBoth(file.toString());
    }

    /**
     * Refuses samples that say not what is right.
     *
     * @param file whose samples these are
     * @throws PrpfException 65 if a sample has no label
     */
    private static void requireLabels(Path file, List<Sample> samples) {
        List<String> unlabelled = samples.stream()
                .filter(sample -> !sample.labelled())
                .map(Sample::id)
                .limit(5)
                .toList();
        if (!unlabelled.isEmpty()) {
            throw new InvalidDataException(
                    file + ": samples without answers cannot be trained or scored on, the first are " + unlabelled
                            + "; leave them out or label them (an empty list of answers is silence)");
        }
    }
}
