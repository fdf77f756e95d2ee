package dev.prpf.eval.calls;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.match.BestMatch.NameOverlap;
import dev.prpf.eval.calls.CallTask.CallRule.CallError;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An answer to a function-calling task, with the judgement whether it is right.
 *
 * @param calls the answer's calls; empty for silence, null if malformed
 * @param error the error of a wrong answer, else null
 */
record JudgedCalls(CallTask task, @Nullable List<FunctionCall> calls, @Nullable CallError error) {
    static JudgedCalls of(CallTask task, @Nullable List<FunctionCall> calls) {
        return new JudgedCalls(
                task, calls, calls == null ? CallError.MALFORMED : task.rule().judge(calls));
    }

    boolean right() {
        return error == null;
    }

    boolean wantsSilence() {
        return task.wanted().isEmpty();
    }

    boolean called() {
        return calls != null && !calls.isEmpty();
    }

    NameOverlap overlap() {
        return calls == null ? NameOverlap.ZERO : NameOverlap.of(names(calls), task.wanted());
    }

    /** Returns whether the answer calls the wanted functions, each as often as wanted. */
    boolean callsTheWanted() {
        return calls != null && sorted(names(calls)).equals(sorted(task.wanted()));
    }

    private static List<String> names(List<FunctionCall> calls) {
        return calls.stream().map(FunctionCall::name).toList();
    }

    private static List<String> sorted(List<String> names) {
        List<String> sorted = new ArrayList<>(names);
        Collections.sort(sorted);
        return sorted;
    }
}
