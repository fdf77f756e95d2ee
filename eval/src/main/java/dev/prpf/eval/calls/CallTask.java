package dev.prpf.eval.calls;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request, its functions, and the rule for right answers.
 *
 * @param id unique in its suite
 * @param category the part of its suite, a file of it
 * @param group group of dependent tasks; intervals draw whole groups
 * @param conversation the conversation of this turn, or null for a single task
 * @param sample the reasoner's input
 * @param functions the task's functions, at least one, with unique names
 * @param wanted names of the functions that a right answer calls; empty if no call is right
 * @param rule judges answers
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
     * Creates the reasoner's input.
     *
     * @param world time and place, "" if unknown
     * @param steps the messages, oldest first
     */
    static Sample sample(String id, String world, List<String> steps) {
        return new Sample(id, 1, null, null, new DeviceContext("", "", world), Trajectory.ofTexts(steps), null);
    }
}
