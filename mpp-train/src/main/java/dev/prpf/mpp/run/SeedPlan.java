package dev.prpf.mpp.run;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.prpf.base.config.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Every run of a training over seeds and ablations, at least one, in the order they are trained. */
public record SeedPlan(@JsonValue List<SeedRun> runs) {
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public SeedPlan {
        runs = List.copyOf(runs);
        Rule.require(!runs.isEmpty(), "runs", runs.size(), "at least 1");
    }

    /** The plan of a training with at least one seed, each also without each channel if ablations are wanted and both channels are on. */
    public static SeedPlan of(MppConfig config, List<Long> seeds, boolean ablations) {
        List<SeedRun.Variant> variants = new ArrayList<>(List.of(SeedRun.Variant.FULL));
        if (ablations && config.network().slowChannel() && config.network().fastChannel()) {
            variants.add(SeedRun.Variant.WITHOUT_SLOW);
            variants.add(SeedRun.Variant.WITHOUT_FAST);
        }
        List<SeedRun> runs = new ArrayList<>();
        for (SeedRun.Variant variant : variants) {
            String directory = variant.name().toLowerCase(Locale.ROOT).replace('_', '-');
            seeds.forEach(seed -> runs.add(new SeedRun(variant, seed, directory + "/seed_" + seed)));
        }
        return new SeedPlan(runs);
    }
}
