package dev.prpf.par.response;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A parsed response of a reasoner. */
public sealed interface ParResponse {
    /**
     * A response that follows the grammar; the first recommendation is the prediction, an empty list is silence.
     *
     * @param uiSummary summary of the screenshots, or null
     * @param thinking the reasoning without the function selection, or null
     * @param functionSelection the selection inside the reasoning, or null
     */
    record Parsed(
            @Nullable String uiSummary,
            @Nullable String thinking,
            @Nullable String functionSelection,
            List<Recommendation> recommendations)
            implements ParResponse {
        /** Returns the calls of the prediction; empty for silence. */
        public List<FunctionCall> calls() {
            return recommendations.isEmpty()
                    ? List.of()
                    : recommendations.get(0).calls();
        }
    }

    /**
     * A response that violates the grammar.
     *
     * @param where offset of the first violation, in characters
     */
    record Malformed(int where, String why) implements ParResponse {}
}
