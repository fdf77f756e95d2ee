package dev.prpf.data.calls;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionSpec;
import java.util.List;

/**
 * A function-calling record: requests, functions and accepted calls.
 *
 * @param id unique in its file
 * @param requests the user's messages in order, at least one
 * @param functions the record's functions, at least one, with unique names
 * @param accepted the accepted calls in order; empty if no function fits
 */
public record CallRecord(String id, List<String> requests, List<FunctionSpec> functions, List<AcceptedCall> accepted) {
    public CallRecord {
        requests = List.copyOf(requests);
        functions = List.copyOf(functions);
        accepted = List.copyOf(accepted);
    }

    /**
     * Returns the accepted call sequences: all combinations of accepted values, the file's first values first. Silence is the
     * empty sequence.
     *
     * @param most the number of sequences needed
     * @return at least one, at most {@code most + 1}
     */
    public List<List<FunctionCall>> answers(int most) {
        return AcceptedValues.combinations(
                accepted.stream().map(call -> call.variants(most)).toList(), most);
    }

    /** Returns whether a function fits the request. */
    public boolean acts() {
        return !accepted.isEmpty();
    }
}
