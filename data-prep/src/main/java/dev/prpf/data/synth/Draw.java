package dev.prpf.data.synth;

import dev.prpf.data.Language;
import dev.prpf.data.synth.SynthLibrary.PhraseTemplates;
import java.util.List;
import java.util.SplittableRandom;

/** Seeded choices for one sample, from the library's material in the sample's language. */
record Draw(SynthLibrary library, Language language, SplittableRandom random) {
    /** Draws one element uniformly. */
    <T> T from(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    String of(PhraseTemplates phrases) {
        return from(phrases.in(language));
    }

    /** Returns true with probability p. */
    boolean chance(double p) {
        return random.nextDouble() < p;
    }

    /** Draws an index by weight; the weights need not sum to 1. */
    int weighted(double[] weights) {
        double total = 0;
        for (double weight : weights) {
            total += weight;
        }
        double left = random.nextDouble() * total;
        for (int i = 0; i < weights.length; i++) {
            left -= weights[i];
            if (left < 0) {
                return i;
            }
        }
        return weights.length - 1;
    }
}
