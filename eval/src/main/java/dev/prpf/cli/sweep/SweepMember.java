package dev.prpf.cli.sweep;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One combination of a sweep's values.
 *
 * @param index its position in the plan, from 0
 * @param name made of its values ({@code training.seed=42,--shortlist=5}); names a folder, unique in a plan
 * @param values by axis
 * @param steps its prpf commands, in order, word by word, with its values filled in
 * @param command the one prpf command, without {@code ./prpf}, that runs the member to its end: {@code grid member DIR INDEX}. It runs the
 *     unfinished steps, saves their results and exits with their code (75: run it again). It reads the plan, which must have been {@link
 *     SweepPlan#write written}
 * @param runDirectory for the member's files
 */
public record SweepMember(
        int index,
        String name,
        Map<String, String> values,
        List<List<String>> steps,
        List<String> command,
        Path runDirectory) {
    public SweepMember {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
        steps = steps.stream().map(List::copyOf).toList();
        command = List.copyOf(command);
    }
}
