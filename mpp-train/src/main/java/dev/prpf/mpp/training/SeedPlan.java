package dev.prpf.mpp.training;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.config.Rule;
import dev.prpf.base.config.StrictYaml;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** All runs of a training over seeds and ablations, at least one, in training order. */
public record SeedPlan(@JsonValue List<Run> runs) {
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public SeedPlan {
        runs = List.copyOf(runs);
        Rule.require(!runs.isEmpty(), "runs", runs.size(), "at least 1");
    }

    /** One run of a training over seeds and ablations; its directory is relative to the directory above. */
    public record Run(Variant variant, long seed, String path) {
        public Run {
            Objects.requireNonNull(variant, "variant is null");
            Objects.requireNonNull(path, "path is null");
        }

        public MppConfig config(MppConfig whole) {
            List<String> overrides = new ArrayList<>(List.of("seed=" + seed));
            if (!variant.removed.isEmpty()) {
                overrides.add(variant.removed + "=false");
            }
            return StrictYaml.readText("the configuration", StrictYaml.write(whole), MppConfig.class, overrides);
        }
    }

    /** The network of a run (the MPP rows of PRPF Table 2). */
    public enum Variant {
        /** The network of the configuration. */
        FULL("full", ""),
        /** The network without the slow channel. */
        WITHOUT_SLOW("w/o slow", "network.slow-channel"),
        /** The network without the fast channel. */
        WITHOUT_FAST("w/o fast", "network.fast-channel");

        private final String label;
        private final String removed;

        Variant(String label, String removed) {
            this.label = label;
            this.removed = removed;
        }

        private static Variant of(MppConfig.Network network) {
            return !network.slowChannel() ? WITHOUT_SLOW : network.fastChannel() ? FULL : WITHOUT_FAST;
        }

        /** The name in tables. */
        public String label() {
            return label;
        }
    }

    /** Returns the plan of a single run in the directory itself. */
    public static SeedPlan alone(GateTrainingConfig config) {
        Variant variant = config instanceof MppConfig single ? Variant.of(single.network()) : Variant.FULL;
        return new SeedPlan(List.of(new Run(variant, config.seed(), "")));
    }

    /** Returns the plan for at least one seed; with ablations and both channels on, each seed also runs without each channel. */
    public static SeedPlan of(MppConfig config, List<Long> seeds, boolean ablations) {
        boolean both = config.network().slowChannel() && config.network().fastChannel();
        List<Variant> variants = ablations && both ? List.of(Variant.values()) : List.of(Variant.FULL);
        List<Run> runs = new ArrayList<>();
        for (Variant variant : variants) {
            String directory = EnumName.of(variant);
            seeds.forEach(seed -> runs.add(new Run(variant, seed, directory + "/seed_" + seed)));
        }
        return new SeedPlan(runs);
    }
}
