package dev.prpf.par.teacher;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.teacher.Teacher.RationaleRequest;
import java.util.List;

/** Writes the rationales of acting responses. */
public interface Teacher extends AutoCloseable {
    /** Name of the teacher and its version. */
    String id();

    /**
     * Writes a response for each request, in order. A response recommends exactly the request's answer, in the form of the sample's modality.
     */
    List<RationaleResult> write(List<RationaleRequest> requests);

    /** Frees the teacher's resources, if any. */
    @Override
    default void close() {}

    /**
     * A request for a rationale.
     *
     * @param answer to learn; it acts, and all its functions are candidates
     */
    record RationaleRequest(Sample sample, Recommendation answer, CandidatePool candidates) {
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

    sealed interface RationaleResult {
        /** A response to learn, and whether the teacher's text was repaired. */
        record Written(ParResponse.Parsed response, boolean repaired) implements RationaleResult {}

        /** The teacher's text cannot be used. */
        record Dropped(Fault fault, String why) implements RationaleResult {}

        /** The reason why a teacher's text cannot be used. */
        enum Fault {
            /** The text lacks parts that the prompt requires. */
            UNREADABLE,
            /** The text argues for other functions than the answer's. */
            OTHER_FUNCTIONS,
            /** The text gives other arguments, and does not mention all of the answer's. */
            OTHER_ARGUMENTS,
            /** The prompt exceeded the teacher's context. */
            TOO_LONG,
            /** The server rejected the request for another reason. */
            REFUSED
        }
    }
}
