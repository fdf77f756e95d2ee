package dev.prpf.par.generate;

import java.util.SplittableRandom;

/** Uniform numbers in [0, 1) for one row, the same whatever else is decoded beside it. */
final class UniformDraws {
    private final SplittableRandom random;

    UniformDraws(long seed) {
        // seeds are often neighbours: what their streams begin with must not be
        random = new SplittableRandom(new SplittableRandom(seed).nextLong());
    }

    double next() {
        return random.nextDouble();
    }
}
