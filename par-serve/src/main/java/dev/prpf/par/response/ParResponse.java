package dev.prpf.par.response;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A reasoner's response, read. */
public sealed interface ParResponse {
    /**
     * A response that follows the grammar; the first recommendation is the prediction, an empty list is silence.
     *
     * @param uiSummary what the screens show, or null
     * @param thinking the reasoning without the function selection, or null
     * @param functionSelection the selection inside the reasoning, or null
     * @param recommendations as given
     */
    record Parsed(
            @Nullable String uiSummary,
            @Nullable String thinking,
            @Nullable String functionSelection,
            List<Recommendation> recommendations)
            implements ParResponse {
        public Parsed {
            recommendations = List.copyOf(recommendations);
        }

        /** The calls of the prediction; none is silence. */
        public List<FunctionCall> calls() {
            return recommendations.isEmpty()
                    ? List.of()
                    : recommendations.get(0).calls();
        }
    }

    /**
     * A response that does not.
     *
     * @param where offset in characters of the first thing that is wrong
     * @param why the rule it breaks
     */
    record Malformed(int where, String why) implements ParResponse {}
}
