package dev.prpf.data.synth;

import java.util.List;
import java.util.SplittableRandom;

/** Seeded choices. */
final class Draw {
    private Draw() {}

    /** One element, uniformly. */
    static <T> T from(List<T> values, SplittableRandom random) {
        return values.get(random.nextInt(values.size()));
    }

    /** True with probability p. */
    static boolean chance(double p, SplittableRandom random) {
        return random.nextDouble() < p;
    }

    /** An index drawn by weight; the weights need not add up to 1. */
    static int weighted(double[] weights, SplittableRandom random) {
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
