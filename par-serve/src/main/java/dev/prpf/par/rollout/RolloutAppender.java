package dev.prpf.par.rollout;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.LineFile;
import dev.prpf.par.sets.PromptExample;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Appends groups to a file and knows which prompts have theirs, so that an interrupted run goes on where it was. */
final class RolloutAppender implements AutoCloseable {
    private final LineFile lines;
    private final Set<String> ids;

    private RolloutAppender(LineFile lines, Set<String> ids) {
        this.lines = lines;
        this.ids = ids;
    }

    /**
     * Opens a file, which may exist.
     *
     * @throws PrpfException 65 for a whole line that is no group, is of another provenance or has an id that none of the prompts has; 69 if
     *     the file cannot be written
     */
    static RolloutAppender open(Path file, RolloutProvenance provenance, List<PromptExample> prompts) {
        Set<String> known = new TreeSet<>();
        prompts.forEach(prompt -> known.add(prompt.id()));
        Set<String> ids = new TreeSet<>();
        RolloutLines before = RolloutLines.of(provenance);
        LineFile lines = LineFile.open(file, (number, line) -> {
            String place = file + ":" + number;
            String id = before.parse(place, line).id();
            if (!known.contains(id)) {
                throw new InvalidDataException(place + ": id \"" + id
                        + "\" is none of the prompts' that are rolled out; name another --run-dir");
            }
            ids.add(id);
        });
        return new RolloutAppender(lines, ids);
    }

    /** Whether the prompt has its group. */
    boolean has(PromptExample prompt) {
        return ids.contains(prompt.id());
    }

    int size() {
        return ids.size();
    }

    /** Appends a group whose prompt has none. */
    void append(RolloutGroup group) {
        if (!ids.add(group.id())) {
            throw new IllegalArgumentException(lines.file() + ": prompt " + group.id() + " has a group already");
        }
        lines.append(RolloutLines.line(group));
    }

    /** Makes what was appended durable. */
    void flush() {
        lines.flush();
    }

    @Override
    public void close() {
        lines.close();
    }
}
