package dev.prpf.eval.calls;

import dev.prpf.data.FunctionCall;
import dev.prpf.eval.score.Labelled;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
