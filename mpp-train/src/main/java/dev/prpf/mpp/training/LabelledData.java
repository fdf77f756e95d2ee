package dev.prpf.mpp.training;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.Sample;
import dev.prpf.data.Sample.Modality;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.mpp.gate.ConfusionMatrix;
import dev.prpf.mpp.network.definition.NetworkShape;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Labelled samples and their features, encoded once for any number of trainings. */
public record LabelledData(List<Sample> samples, List<SampleFeatures> features) {
    /** Returns the samples with accepted indexes, in order. */
    LabelledData where(IntPredicate wanted) {
        int[] indexes = IntStream.range(0, samples.size()).filter(wanted).toArray();
        return new LabelledData(
                IntStream.of(indexes).mapToObj(samples::get).toList(),
                IntStream.of(indexes).mapToObj(features::get).toList());
    }

    /**
     * Returns silent copies of the acting text samples, without the steps that state a value of an answer: what remains gives no reason to act.
     * A sample has no copy if its context states a value, or if no other steps remain.
     */
    List<SampleFeatures> counterfactuals() {
        List<SampleFeatures> silent = new ArrayList<>();
        for (int i = 0; i < samples.size(); i++) {
            Sample sample = samples.get(i);
            if (sample.wantsIntervention() && sample.modality() == Modality.TEXT) {
                List<String> values = values(sample);
                List<String> steps = sample.trajectory().texts();
                int[] kept = IntStream.range(0, steps.size())
                        .filter(t -> !statesAny(values, steps.get(t)))
                        .toArray();
                boolean elsewhere = sample.context().texts().stream().anyMatch(text -> statesAny(values, text));
                if (kept.length > 0 && kept.length < steps.size() && !elsewhere) {
                    silent.add(features.get(i).silent(kept));
                }
            }
        }
        return silent;
    }

    /** Returns the texts of all answers' parameters; a code like {@code power_saving} as words. */
    private static List<String> values(Sample sample) {
        return sample.validSequences().stream()
                .flatMap(List::stream)
                .flatMap(call -> call.parameters().values().stream())
                .flatMap(FunctionCallJson::leaves)
                .filter(JsonNode::isTextual)
                .map(value -> value.asText().toLowerCase(Locale.ROOT).replace('_', ' '))
                .filter(text -> text.length() > (text.codePoints().anyMatch(Character::isIdeographic) ? 1 : 2))
                .toList();
    }

    private static boolean statesAny(List<String> values, String text) {
        String folded = text.toLowerCase(Locale.ROOT);
        return values.stream().anyMatch(folded::contains);
    }

    /** Counts the samples with a trajectory longer than the network's window. */
    static long truncatedTrajectories(List<SampleFeatures> features, NetworkShape shape) {
        return features.stream()
                .filter(sample -> shape.window().seen(sample.screenshot()) < sample.screenshot().length)
                .count();
    }

    /** Counts the samples with a context text of more sentences than the network's limit. */
    static long truncatedContexts(List<SampleFeatures> features, NetworkShape shape) {
        return shape.inputs().sentences() == 0
                ? 0
                : features.stream()
                        .filter(sample -> IntStream.range(0, NetworkShape.CONTEXT)
                                .anyMatch(text -> sample.contextVectors(text)
                                        > shape.inputs().sentences()))
                        .count();
    }

    /** @throws PrpfException 65 if a sample of this file has no label, or a class is missing; call before encoding */
    public static void requireBothClasses(Path file, List<Sample> samples) {
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
        long acting = samples.stream().filter(Sample::wantsIntervention).count();
        ConfusionMatrix.requireBothClasses(file.toString(), acting, samples.size() - acting);
    }
}
