package dev.prpf.eval.suite;

import dev.prpf.data.encode.spec.ShippedEncoders;
import dev.prpf.data.encode.text.TextEncoder;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The embedding of each text of events and contexts, every distinct text encoded once. Frozen: no label has touched it.
 *
 * @param encoder the text encoder's id
 */
record EventVectors(String encoder, int width, Map<String, float[]> vectors) {
    /** By an encoder that is closed when all texts are encoded. */
    static EventVectors of(List<DecisionPoint> points, Supplier<TextEncoder> opened) {
        List<String> texts = points.stream()
                .flatMap(point ->
                        Stream.concat(point.events().stream().map(DecisionPoint.Event::text), point.context().stream()))
                .filter(text -> !text.isBlank())
                .distinct()
                .toList();
        try (TextEncoder encoder = opened.get()) {
            float[][] encoded = encoder.encode(texts);
            return new EventVectors(
                    encoder.id(),
                    encoder.width(),
                    IntStream.range(0, encoded.length).boxed().collect(Collectors.toMap(texts::get, i -> encoded[i])));
        }
    }

    /** What rows call the vectors: BGE those of the default encoder, as in published results. */
    String name() {
        return encoder.startsWith(ShippedEncoders.DEFAULT) ? "BGE" : "embedding";
    }

    /** The vector of a text, shape (width); 0 of a blank one, which says that nothing is known. */
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

    /** The mean vector of those of these texts that are not blank, shape (width); 0 if all are. */
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

    /** The vector of a text less a mean, shape (width); 0 of a blank one. */
    float[] centred(String text, float[] mean) {
        float[] vector = of(text).clone();
        for (int j = 0; j < width && !text.isBlank(); j++) {
            vector[j] -= mean[j];
        }
        return vector;
    }
}
