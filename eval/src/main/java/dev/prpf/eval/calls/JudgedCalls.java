package dev.prpf.eval.calls;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.match.NameOverlap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One task with what was answered.
 *
 * @param calls the answer's; none is silence, null is malformed
 * @param error why it is wrong, or null where it is right
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

    /** Whether it calls the wanted functions, each as often as is wanted. */
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
