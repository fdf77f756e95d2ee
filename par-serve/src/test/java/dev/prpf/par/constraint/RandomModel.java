package dev.prpf.par.constraint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;

/** A model without any sense: any allowed token, the last of them and the end more often than others. */
final class RandomModel {
    private final Random random;
    private final boolean skips;

    /** @param skips whether it writes what is forced without looking at what is allowed */
    RandomModel(long seed, boolean skips) {
        random = new Random(seed);
        this.skips = skips;
    }

    List<Long> write(ResponseConstraint constraint, int maxNew, int end) {
        List<Long> ids = new ArrayList<>();
        while (ids.isEmpty() || ids.get(ids.size() - 1) != end) {
            int left = maxNew - ids.size();
            assertThat(left).isPositive();
            long[] forced = skips ? constraint.forced(left) : new long[0];
            long next = forced.length > 0 ? forced[0] : any(constraint.allowed(left));
            constraint.accept(next);
            ids.add(next);
        }
        return ids;
    }

    long any(long[] allowed) {
        BitSet set = BitSet.valueOf(allowed);
        int from = random.nextInt(allowed.length * 64);
        int next = set.nextSetBit(from);
        return next >= 0 ? next : set.nextSetBit(0);
    }
}
