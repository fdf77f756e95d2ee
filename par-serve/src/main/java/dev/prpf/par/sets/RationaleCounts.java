package dev.prpf.par.sets;

import dev.prpf.par.teacher.RationaleResult;
import java.util.EnumMap;
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
 * @param dropped left out, by fault
 */
public record RationaleCounts(String teacher, int written, int repaired, Map<RationaleResult.Fault, Integer> dropped) {
    static RationaleCounts of(String teacher, List<RationaleResult> outcomes) {
        int written = 0;
        int repaired = 0;
        Map<RationaleResult.Fault, Integer> dropped = new EnumMap<>(RationaleResult.Fault.class);
        for (RationaleResult.Fault fault : RationaleResult.Fault.values()) {
            dropped.put(fault, 0);
        }
        for (RationaleResult outcome : outcomes) {
            if (outcome instanceof RationaleResult.Dropped none) {
                dropped.merge(none.fault(), 1, Integer::sum);
            } else if (((RationaleResult.Written) outcome).repaired()) {
                repaired++;
            } else {
                written++;
            }
        }
        return new RationaleCounts(teacher, written, repaired, dropped);
    }

    /** Requests that gave no response. */
    public int allDropped() {
        return dropped.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** The counts by their names in files. */
    public Map<String, Object> byName() {
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("teacher", teacher);
        counts.put("written", written);
        counts.put("repaired", repaired);
        Map<String, Integer> faults = new LinkedHashMap<>();
        dropped.forEach((fault, count) -> faults.put(fault.name().toLowerCase(Locale.ROOT), count));
        counts.put("dropped", faults);
        return counts;
    }
}
