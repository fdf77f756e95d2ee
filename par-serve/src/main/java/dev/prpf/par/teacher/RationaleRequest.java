package dev.prpf.par.teacher;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.mpp.CandidatePool;
import java.util.List;

/**
 * A request for a rationale.
 *
 * @param sample the sample to reason about
 * @param answer to learn; it acts, and all its functions are candidates
 * @param candidates the functions of the prompt
 */
public record RationaleRequest(Sample sample, Recommendation answer, CandidatePool candidates) {
    public RationaleRequest {
        if (answer.isSilence()) {
            throw new IllegalArgumentException("sample " + sample.id() + ": silence needs no reasoning");
        }
    }

    /** Returns the texts, numbers and booleans inside a value, except null and blank. */
    static List<JsonNode> leaves(JsonNode value) {
        return FunctionCallJson.leaves(value)
                .filter(leaf -> !leaf.isNull() && !leaf.asText().isBlank())
                .toList();
    }
}
