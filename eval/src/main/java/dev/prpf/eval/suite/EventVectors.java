package dev.prpf.eval.suite;

import dev.prpf.data.encode.text.TextEncoder;
import dev.prpf.eval.suite.GateSuite.SuiteEncoder;
import dev.prpf.mpp.ensemble.TextVectors;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.lang3.ArrayUtils;

/** The frozen embeddings of all texts of events and contexts, each distinct text encoded once. */
record EventVectors(String name, String encoder, int width, Map<String, float[]> vectors) implements TextVectors {
    /** Encodes all texts with each encoder, which is closed afterwards. */
    static List<EventVectors> of(List<DecisionPoint> points, List<SuiteEncoder> encoders) {
        return encoders.stream().map(encoder -> of(points, encoder)).toList();
    }

    static EventVectors of(List<DecisionPoint> points, SuiteEncoder named) {
        List<String> texts = points.stream()
                .flatMap(point ->
                        Stream.concat(point.events().stream().map(DecisionPoint.Event::text), point.context().stream()))
                .filter(text -> !text.isBlank())
                .distinct()
                .toList();
        try (TextEncoder encoder = named.opened().get()) {
            float[][] encoded = encoder.encode(texts);
            return new EventVectors(
                    named.name(),
                    encoder.id(),
                    encoder.width(),
                    IntStream.range(0, encoded.length).boxed().collect(Collectors.toMap(texts::get, i -> encoded[i])));
        }
    }

    /** Concatenates the vectors of n encoders, divided by the root of n, so that vectors of length 1 give length 1. */
    static EventVectors joined(List<EventVectors> all) {
        float factor = (float) (1 / Math.sqrt(all.size()));
        EventVectors first = all.get(0);
        return new EventVectors(
                all.stream().map(EventVectors::name).collect(Collectors.joining(", ")),
                all.stream().map(EventVectors::encoder).collect(Collectors.joining(", ")),
                all.stream().mapToInt(EventVectors::width).sum(),
                first.vectors().keySet().stream().collect(Collectors.toMap(text -> text, text -> {
                    float[] joined =
                            all.stream().map(vectors -> vectors.of(text)).reduce(new float[0], ArrayUtils::addAll);
                    for (int j = 0; j < joined.length; j++) {
                        joined[j] *= factor;
                    }
                    return joined;
                })));
    }

    @Override
    public String id() {
        return encoder;
    }

    @Override
    public float[][] encode(List<String> texts) {
        return texts.stream().map(this::of).toArray(float[][]::new);
    }

    /** Returns the vector of a text, shape (width); 0 for a blank text, which means unknown. */
    float[] of(String text) {
        if (text.isBlank()) {
            return new float[width];
        }
        float[] vector = vectors.get(text);
        if (vector == null) {
            throw new IllegalArgumentException(
                    "no vector of the text '" + text + "': it was not among the points encoded");
        }
        return vector;
    }

    /** Returns the mean vector of the texts that are not blank, shape (width); 0 if all are blank. */
    float[] mean(List<String> all) {
        float[] mean = new float[width];
        List<String> texts = all.stream().filter(text -> !text.isBlank()).toList();
        for (String text : texts) {
            float[] vector = of(text);
            for (int j = 0; j < width; j++) {
                mean[j] += vector[j] / texts.size();
            }
        }
        return mean;
    }

    /** Returns the vector of a text minus a mean, shape (width); 0 for a blank text. */
    float[] centred(String text, float[] mean) {
        float[] vector = of(text).clone();
        for (int j = 0; j < width && !text.isBlank(); j++) {
            vector[j] -= mean[j];
        }
        return vector;
    }
}
