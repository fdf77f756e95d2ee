package dev.prpf.data.synth;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** How many samples of each kind were made. */
public final class SynthCounts {
    private final Map<Temper, Long> byTemper = new EnumMap<>(Temper.class);
    private long records;
    private long multimodal;
    private long pictures;

    public void add(SynthSample sample) {
        records++;
        byTemper.merge(sample.temper(), 1L, Long::sum);
        if (!sample.screens().isEmpty()) {
            multimodal++;
        }
        pictures += sample.screens().size();
    }

    /** The counts by name, for the command's result. */
    public Map<String, Object> asMap() {
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("records", records);
        counts.put("multimodal", multimodal);
        counts.put("pictures", pictures);
        for (Temper temper : Temper.values()) {
            counts.put(temper.name().toLowerCase(Locale.ROOT), byTemper.getOrDefault(temper, 0L));
        }
        return counts;
    }
}
