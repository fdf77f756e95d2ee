package dev.prpf.par.reward;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Weighted terms of a reward, for tests. */
public final class Terms {
    private Terms() {}

    /** The first terms' values in the order of files; the others are 0. */
    public static Map<String, Double> of(double... values) {
        Map<String, Double> terms = new LinkedHashMap<>();
        List<String> names = RewardTerm.names();
        for (int i = 0; i < names.size(); i++) {
            terms.put(names.get(i), i < values.length ? values[i] : 0.0);
        }
        return terms;
    }
}
