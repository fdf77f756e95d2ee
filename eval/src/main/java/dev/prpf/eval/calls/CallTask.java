package dev.prpf.eval.calls;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.eval.score.Labelled;
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
    /**
     * Creates the reasoner's input.
     *
     * @param world time and place, "" if unknown
     * @param steps the messages, oldest first
     */
    static Sample sample(String id, String world, List<String> steps) {
        return new Sample(id, 1, null, null, new DeviceContext("", "", world), Trajectory.ofTexts(steps), null);
    }

    /** Judges answers to a task by the rules of its source. */
    @FunctionalInterface
    interface CallRule {
        /** The rule of a task without a fitting function: every call is wrong. */
        CallRule NO_CALL = calls -> calls.isEmpty() ? null : CallError.UNWANTED_CALL;

        /** Returns the rule that the calls break, or null if they are right. */
        @Nullable
        CallError judge(List<FunctionCall> calls);

        /** The first rule that a wrong response breaks. */
        enum CallError implements Labelled {
            /** The response violates the grammar. */
            MALFORMED,
            /** Calls although no function fits. */
            UNWANTED_CALL,
            /** Another number of calls than wanted, including zero. */
            WRONG_COUNT,
            WRONG_FUNCTION,
            MISSING_REQUIRED,
            /** A parameter that the function lacks or the request does not accept. */
            UNEXPECTED_PARAMETER,
            WRONG_TYPE,
            WRONG_VALUE,
            /** A parameter that the request requires, but not the function. */
            MISSING_OPTIONAL,
            /** One of several wanted calls has no matching call. */
            NO_MATCH
        }
    }
}
