package dev.prpf.par.sets;

import dev.prpf.par.teacher.Taught;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What came of a teacher's lessons.
 *
 * @param teacher who wrote them
 * @param written taken as they were
 * @param repaired taken after a repair
 * @param dropped left out, by fault
 */
public record TeachingCounts(String teacher, int written, int repaired, Map<Taught.Fault, Integer> dropped) {
    static TeachingCounts of(String teacher, List<Taught> outcomes) {
        int written = 0;
        int repaired = 0;
        Map<Taught.Fault, Integer> dropped = new EnumMap<>(Taught.Fault.class);
        for (Taught.Fault fault : Taught.Fault.values()) {
            dropped.put(fault, 0);
        }
        for (Taught outcome : outcomes) {
            if (outcome instanceof Taught.Dropped none) {
                dropped.merge(none.fault(), 1, Integer::sum);
            } else if (((Taught.Written) outcome).repaired()) {
                repaired++;
            } else {
                written++;
            }
        }
        return new TeachingCounts(teacher, written, repaired, dropped);
    }

    /** Lessons left out. */
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
