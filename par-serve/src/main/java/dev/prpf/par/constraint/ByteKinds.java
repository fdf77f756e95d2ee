package dev.prpf.par.constraint;

import dev.prpf.par.schema.WorkBudget;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Groups the bytes that some expressions treat alike, so that a state makes one step for all bytes of a group. */
record ByteKinds(int[] ofByte, int count) {
    static final int BYTES = 256;

    /** @param budget counts the steps */
    static ByteKinds of(Set<Expression> heads, WorkBudget budget) {
        Map<List<Optional<List<Expression>>>, Integer> known = new HashMap<>();
        int[] kinds = new int[BYTES];
        for (int b = 0; b < BYTES; b++) {
            int read = b;
            List<Optional<List<Expression>>> steps = heads.stream()
                    .map(head -> Optional.ofNullable(head.step(read, budget)))
                    .toList();
            kinds[b] = known.computeIfAbsent(steps, k -> known.size());
        }
        return new ByteKinds(kinds, known.size());
    }

    int of(int b) {
        return ofByte[b];
    }
}
