package dev.prpf.eval.calls;

import dev.prpf.data.FunctionCall;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is right for one task, by the rules of its source. */
@FunctionalInterface
public interface CallRule {
    /** No function serves: no call is right. */
    CallRule NO_CALL = calls -> calls.isEmpty() ? null : CallError.UNWANTED_CALL;

    /** The rule that these calls break; null where they are right. */
    @Nullable
    CallError judge(List<FunctionCall> calls);
}
