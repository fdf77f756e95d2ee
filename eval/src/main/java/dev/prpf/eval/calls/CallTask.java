package dev.prpf.eval.calls;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request, the functions it may be served with, and what is right.
 *
 * @param id unique in its suite
 * @param category the part of its suite, a file of it
 * @param group tasks of one group depend on each other: intervals draw whole groups
 * @param conversation of which this is one turn, or null where the task stands alone
 * @param sample what a reasoner is shown
 * @param functions its own, at least one, no two of one name
 * @param wanted names of the functions that a right answer calls; none where no call is right
 * @param rule what is right
 */
public record CallTask(
        String id,
        String category,
        String group,
        @Nullable String conversation,
        Sample sample,
        List<FunctionSpec> functions,
        List<String> wanted,
        CallRule rule) {
    public CallTask {
        functions = List.copyOf(functions);
        wanted = List.copyOf(wanted);
    }

    /**
     * What a reasoner is shown.
     *
     * @param world what is known of time and place, "" for nothing
     * @param steps what was said, oldest first
     */
    static Sample sample(String id, String world, List<String> steps) {
        return new Sample(id, 1, null, null, new DeviceContext("", "", world), Trajectory.ofTexts(steps), null);
    }
}
