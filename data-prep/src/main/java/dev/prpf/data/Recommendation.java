package dev.prpf.data;

import java.util.List;

/**
 * Function calls offered to the user: a valid answer of a record, or a proposal of the reasoner.
 *
 * @param instruction the proposal in words; empty for silence
 * @param calls the function-call sequence; empty is silence
 */
public record Recommendation(String instruction, List<FunctionCall> calls) {
    public Recommendation {
        calls = List.copyOf(calls);
    }

    public boolean isSilence() {
        return calls.isEmpty();
    }

    /** Returns the function names in order, S(y) of PRPF Appendix A.4. */
    public List<String> names() {
        return calls.stream().map(FunctionCall::name).toList();
    }
}
