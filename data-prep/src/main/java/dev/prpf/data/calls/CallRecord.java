package dev.prpf.data.calls;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionSpec;
import java.util.List;

/**
 * A request and the functions it may be served with.
 *
 * @param id unique in its file
 * @param requests what the user says, in order; at least one
 * @param functions its own, at least one, no two of one name
 * @param accepted the calls that are right, in order; none where no function serves
 */
public record CallRecord(String id, List<String> requests, List<FunctionSpec> functions, List<AcceptedCall> accepted) {
    public CallRecord {
        requests = List.copyOf(requests);
        functions = List.copyOf(functions);
        accepted = List.copyOf(accepted);
    }

    /**
     * The call sequences that are right: every combination of the values accepted. The file's first values come first; silence is the
     * empty sequence.
     *
     * @param most sequences that are of use
     * @return at least one; {@code most + 1} where there are more
     */
    public List<List<FunctionCall>> answers(int most) {
        return AcceptedValues.combinations(
                accepted.stream().map(call -> call.variants(most)).toList(), most);
    }

    /** Whether some function serves the request. */
    public boolean acts() {
        return !accepted.isEmpty();
    }
}
