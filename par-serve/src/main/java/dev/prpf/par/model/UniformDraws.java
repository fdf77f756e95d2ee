package dev.prpf.par.model;

import java.util.SplittableRandom;

/** Uniform numbers in [0, 1) for one row, the same whatever else is decoded beside it. */
final class UniformDraws {
    private static final long ODD = 0x9E3779B97F4A7C15L;

    private final SplittableRandom random;

    UniformDraws(long seed, int row) {
        random = new SplittableRandom(seed ^ (ODD * (row + 1L)));
    }

    double next() {
        return random.nextDouble();
    }
}
