package dev.prpf.mpp.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** One run of a training over seeds and ablations; its directory is relative to the directory above. */
public record SeedRun(Variant variant, long seed, String path) {
    public SeedRun {
        Objects.requireNonNull(variant, "variant is null");
        Objects.requireNonNull(path, "path is null");
    }

    /** The network of a run (the MPP rows of PRPF Table 2). */
    public enum Variant {
        /** As configured. */
        FULL("full", ""),
        /** Without the slow channel. */
        WITHOUT_SLOW("w/o slow", "network.slow-channel"),
        /** Without the fast channel. */
        WITHOUT_FAST("w/o fast", "network.fast-channel");

        private final String label;
        private final String removed;

        Variant(String label, String removed) {
            this.label = label;
            this.removed = removed;
        }

        /** As in tables. */
        public String label() {
            return label;
        }

        /** The network that a run's own configuration describes. */
        public static Variant of(MppConfig config) {
            if (!config.network().slowChannel()) {
                return WITHOUT_SLOW;
            }
            return config.network().fastChannel() ? FULL : WITHOUT_FAST;
        }
    }

    /** The configuration of this run. */
    public MppConfig config(MppConfig whole) {
        List<String> overrides = new ArrayList<>(List.of("seed=" + seed));
        if (!variant.removed.isEmpty()) {
            overrides.add(variant.removed + "=false");
        }
        return whole.with(overrides);
    }
}
