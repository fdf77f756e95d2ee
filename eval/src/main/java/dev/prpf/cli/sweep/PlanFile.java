package dev.prpf.cli.sweep;

import dev.prpf.base.error.UsageException;
import dev.prpf.base.files.JsonFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * {@code sweep.json}: a plan, from which its members follow, and what is shown of it.
 *
 * @param axes of the plan
 * @param commands of the plan, with placeholders
 * @param gather how its results are gathered
 */
record PlanFile(List<Axis> axes, List<List<String>> commands, GatherSettings gather) {
    PlanFile {
        axes = List.copyOf(axes);
        commands = commands.stream().map(List::copyOf).toList();
    }

    static PlanFile read(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new UsageException(file + ": does not exist; name the folder of a sweep (--run-dir of ./prpf sweep)");
        }
        return JsonFile.record(file, "plan of a sweep", PlanFile.class);
    }

    void write(Path file) {
        JsonFile.write(file, this);
    }
}
