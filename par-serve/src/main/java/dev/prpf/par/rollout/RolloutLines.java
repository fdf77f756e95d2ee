package dev.prpf.par.rollout;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.RecordLines;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Rollout groups as JSON Lines, a group a line; its keys are the records' components in snake case. */
public final class RolloutLines {
    private static final RecordLines<RolloutGroup> LINES = new RecordLines<>(RolloutGroup.class, "rollout group");

    private final Map<String, String> placeOfId = new HashMap<>();
    private @Nullable RolloutProvenance provenance;

    /** Lines that are read one by one; the first says of which provenance they are. */
    RolloutLines() {}

    /** One line, without its end. */
    public static String line(RolloutGroup group) {
        return LINES.line(group);
    }

    /** Writes a whole file in one step. */
    public static void write(Path file, List<RolloutGroup> groups) {
        LINES.write(file, groups);
    }

    /**
     * Reads a file group by group; memory holds one.
     *
     * @throws PrpfException 65, naming file and line, for a line that is no group, an id that stands twice, a group of another provenance
     *     than the first, or a file without groups
     */
    public static void read(Path file, Consumer<RolloutGroup> groups) {
        RolloutLines seen = new RolloutLines();
        LINES.read(file, (place, group) -> {
            seen.check(place, group);
            groups.accept(group);
        });
    }

    /** Lines that are read one by one, of that provenance. */
    static RolloutLines of(RolloutProvenance provenance) {
        RolloutLines lines = new RolloutLines();
        lines.provenance = provenance;
        return lines;
    }

    /**
     * Reads the next line.
     *
     * @throws PrpfException 65 as for a file
     */
    RolloutGroup parse(String place, String line) {
        RolloutGroup group = LINES.parse(place, line);
        check(place, group);
        return group;
    }

    private void check(String place, RolloutGroup group) {
        String before = placeOfId.put(group.id(), place);
        if (before != null) {
            throw new InvalidDataException(
                    place + ": id \"" + group.id() + "\" stands at " + before + " already; a prompt has one group");
        }
        if (provenance != null && !provenance.equals(group.provenance())) {
            throw new InvalidDataException(
                    place + ": its rollouts come from " + group.provenance() + ", the others from " + provenance
                            + "; rollouts of one file have one policy, prompt, reward and way of sampling");
        }
        provenance = group.provenance();
    }
}
