package dev.prpf.cli.sweep;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.files.JsonFile;
import dev.prpf.cli.sweep.SweepPlan.SweepMember;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * State and results of a member: {@code results/NAME.json}.
 *
 * @param values by axis
 * @param steps finished commands, in order
 * @param exit its exit code; null while it runs or if it was killed
 * @param problem the reason why it is not done, one line; null if unknown
 */
record MemberRecord(
        int index,
        String name,
        Map<String, String> values,
        List<Step> steps,
        @Nullable Integer exit,
        @Nullable String problem) {

    /**
     * A finished command of a member.
     *
     * @param command as typed
     * @param seconds its duration
     * @param result its last line of JSON; null without one
     */
    record Step(String command, double seconds, JsonNode result) {}

    /** Reads the record of a member; without a file, the member has not started. */
    static MemberRecord of(SweepMember member, Path file) {
        if (!Files.isRegularFile(file)) {
            return new MemberRecord(member.index(), member.name(), member.values(), List.of(), null, null);
        }
        return JsonFile.record(file, "record of a sweep's member", MemberRecord.class);
    }

    boolean done() {
        return exit != null && exit == 0;
    }

    double seconds() {
        return steps.stream().mapToDouble(Step::seconds).sum();
    }

    MemberRecord and(Step step) {
        List<Step> more = new ArrayList<>(steps);
        more.add(step);
        return new MemberRecord(index, name, values, more, null, null);
    }

    MemberRecord left(@Nullable Integer status, @Nullable String why) {
        return new MemberRecord(index, name, values, steps, status, why);
    }

    void write(Path file) {
        JsonFile.write(file, this);
    }
}
