package dev.prpf.par.teacher;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.mpp.CandidatePool;
import java.util.List;

/**
 * What a rationale is written for.
 *
 * @param sample whose moment it is
 * @param answer to be learned; it acts, and all its functions are candidates
 * @param candidates the functions that will stand in the prompt
 */
public record RationaleRequest(Sample sample, Recommendation answer, CandidatePool candidates) {
    public RationaleRequest {
        if (answer.isSilence()) {
            throw new IllegalArgumentException("sample " + sample.id() + ": silence needs no reasoning");
        }
    }

    /** The texts, numbers and switches inside a value; what is null or blank is not given. */
    static List<JsonNode> leaves(JsonNode value) {
        return FunctionCallJson.leaves(value)
                .filter(leaf -> !leaf.isNull() && !leaf.asText().isBlank())
                .toList();
    }
}
