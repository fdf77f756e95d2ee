package dev.prpf.eval.calls;

import dev.prpf.data.FunctionCall;
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
}
