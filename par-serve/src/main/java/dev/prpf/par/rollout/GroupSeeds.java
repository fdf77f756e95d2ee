package dev.prpf.par.rollout;

import dev.prpf.base.files.AtomicFiles;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Seeds of a group's samples, from one seed and the prompt's id: the same whatever else is rolled out, and in which order. */
final class GroupSeeds {
    private static final int HEX_OF_A_LONG = 16;

    private final long seed;
    private final Map<String, Integer> copies = new HashMap<>();

    GroupSeeds(long seed) {
        this.seed = seed;
    }

    /** The next group's of that id; an id that comes again gets others. */
    List<Long> next(String id, int count) {
        int copy = copies.merge(id, 1, Integer::sum) - 1;
        String key = seed + "\u0000" + copy + "\u0000" + id;
        String hash = AtomicFiles.sha256(key.getBytes(StandardCharsets.UTF_8)).substring(0, HEX_OF_A_LONG);
        return new SplittableRandom(Long.parseUnsignedLong(hash, 16))
                .longs(count)
                .boxed()
                .toList();
    }
}
