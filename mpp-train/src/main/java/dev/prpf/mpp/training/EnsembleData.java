package dev.prpf.mpp.training;

import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncoderSettings.ContextUnit;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleEncoders;
import dev.prpf.mpp.ensemble.LinearInput;
import dev.prpf.mpp.ensemble.SampleTexts;
import dev.prpf.mpp.ensemble.TextAnalyzer;
import dev.prpf.mpp.ensemble.TextVectors.EncodedTexts;
import dev.prpf.mpp.split.NearDuplicates;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Labelled samples as input of an ensemble's perceiver and of its linear members. */
public record EnsembleData(LabelledData labelled, LinearInput input) {
    /** Reads and encodes samples with all encoders of a configuration. */
    public static EnsembleData of(
            List<Sample> samples, ScenarioCatalog catalog, EnsembleConfig config, SampleEncoders encoders) {
        SampleEncoder first = encoders.first();
        MppConfig perceiver = config.perceiverConfig();
        ContextUnit unit =
                perceiver == null ? ContextUnit.TEXT : perceiver.network().contextUnit();
        LabelledData labelled = new LabelledData(samples, first.encode(samples, catalog, unit));
        List<SampleTexts> texts = samples.stream()
                .map(sample -> SampleTexts.of(sample, first::screenText))
                .toList();
        List<EncodedTexts> vectors = config.linearEncoders(encoders.settings()).stream()
                .map(settings -> new EncodedTexts(encoders.of(settings), true))
                .toList();
        return new EnsembleData(labelled, LinearInput.of(texts, vectors));
    }

    /** Returns the samples with accepted indexes, in order. */
    EnsembleData where(IntPredicate wanted) {
        return new EnsembleData(
                labelled.where(wanted),
                input.at(IntStream.range(0, input.size()).filter(wanted).toArray()));
    }

    List<Sample> samples() {
        return labelled.samples();
    }

    /** Whether each sample wants an intervention. */
    boolean[] acts() {
        boolean[] acts = new boolean[samples().size()];
        IntStream.range(0, acts.length).forEach(i -> acts[i] = samples().get(i).wantsIntervention());
        return acts;
    }

    /** Returns the group of each sample, equal for near-duplicates, see {@link NearDuplicates}. */
    List<Integer> groups() {
        return NearDuplicates.groups(IntStream.range(0, samples().size())
                .mapToObj(i -> input.texts()
                        .get(i)
                        .fields(
                                TextAnalyzer.CHARACTERS::terms,
                                samples().get(i).trajectory().screenshots()))
                .toList());
    }
}
