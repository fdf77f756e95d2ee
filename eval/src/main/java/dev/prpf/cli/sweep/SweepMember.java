package dev.prpf.cli.sweep;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One combination of a sweep's values.
 *
 * @param index its place in the plan, from 0
 * @param name by its values ({@code training.seed=42,--top-k=5}); a name of a folder, none twice in a plan
 * @param values by axis
 * @param steps the prpf commands that it consists of, in order, word by word, its values in place
 * @param command the one prpf command, without {@code ./prpf}, that runs the member to its end: {@code sweep member DIR INDEX}. It runs
 *     the steps that are not done, keeps their results and leaves as they do (75: run it again). It reads the plan, so that must have been
 *     {@link SweepPlan#write written}
 * @param runDirectory where the member's files go
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
