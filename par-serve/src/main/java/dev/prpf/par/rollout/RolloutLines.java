package dev.prpf.par.rollout;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.json.JsonRecords;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the JSON Lines of one file of rollout groups, whose keys are the records' components in snake case. */
final class RolloutLines {
    private final Map<String, String> placeOfId = new HashMap<>();
    private @Nullable RolloutProvenance provenance;

    /** @param provenance of all groups; null: that of the first */
    RolloutLines(@Nullable RolloutProvenance provenance) {
        this.provenance = provenance;
    }

    /**
     * Reads the next line.
     *
     * @throws PrpfException 65, naming the place, for a line that is no group, an id that stands twice, or another provenance
     */
    RolloutGroup parse(String place, String line) {
        RolloutGroup group = JsonRecords.read(place, "rollout group", line, RolloutGroup.class);
        String before = placeOfId.put(group.id(), place);
        if (before != null) {
            throw new InvalidDataException(
                    place + ": id \"" + group.id() + "\" stands at " + before + " already; a prompt has one group");
        }
        provenance = group.provenance().requireSame(provenance, place, "rollouts of one file have");
        return group;
    }
}
