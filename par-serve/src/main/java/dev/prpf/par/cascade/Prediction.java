package dev.prpf.par.cascade;

import dev.prpf.data.FunctionCall;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What came out for one sample; one line of {@code predictions.jsonl}.
 *
 * @param id the sample's id
 * @param route where it ended
 * @param pTrigger the perceiver's probability, or null where no perceiver ran
 * @param scenarios scenario to probability; empty where no perceiver ran
 * @param response the reasoner's raw text, or null where it did not run
 * @param calls one call sequence a recommendation; empty is silence; null is a malformed response
 */
public record Prediction(
        String id,
        Route route,
        @Nullable Double pTrigger,
        Map<String, Double> scenarios,
        @Nullable String response,
        @Nullable List<List<FunctionCall>> calls) {
    /** Whether the gate kept the sample from the reasoner. */
    public enum Route {
        SILENT,
        REASONED
    }

    public Prediction {
        scenarios = Collections.unmodifiableMap(new LinkedHashMap<>(scenarios));
        calls = calls == null ? null : calls.stream().map(List::copyOf).toList();
    }

    /** The sequence that is scored, the first recommendation's; empty is silence; null is malformed. */
    public @Nullable List<FunctionCall> scored() {
        if (calls == null) {
            return null;
        }
        return calls.isEmpty() ? List.of() : calls.get(0);
    }
}
