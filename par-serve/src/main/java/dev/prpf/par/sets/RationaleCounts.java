package dev.prpf.par.sets;

import dev.prpf.par.teacher.RationaleResult;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The outcomes of a teacher's requests, counted.
 *
 * @param teacher its id
 * @param written taken as they were
 * @param repaired taken after a repair
 * @param dropped left out, by fault in lower case
 */
public record RationaleCounts(String teacher, int written, int repaired, Map<String, Integer> dropped) {
    public RationaleCounts {
        dropped = Collections.unmodifiableMap(new LinkedHashMap<>(dropped));
    }

    static RationaleCounts of(String teacher, List<RationaleResult> results) {
        int repaired = 0;
        Map<String, Integer> dropped = new LinkedHashMap<>();
        for (RationaleResult.Fault fault : RationaleResult.Fault.values()) {
            dropped.put(name(fault), 0);
        }
        for (RationaleResult result : results) {
            if (result instanceof RationaleResult.Dropped none) {
                dropped.merge(name(none.fault()), 1, Integer::sum);
            } else {
                repaired += ((RationaleResult.Written) result).repaired() ? 1 : 0;
            }
        }
        int left = dropped.values().stream().mapToInt(Integer::intValue).sum();
        return new RationaleCounts(teacher, results.size() - left - repaired, repaired, dropped);
    }

    private static String name(RationaleResult.Fault fault) {
        return fault.name().toLowerCase(Locale.ROOT);
    }

    /** For a message on what is missing; empty where nothing was dropped. */
    String inWords() {
        int left = dropped.values().stream().mapToInt(Integer::intValue).sum();
        return left == 0 ? "" : ", and " + left + " rationales of " + teacher + " were dropped: " + dropped;
    }
}
