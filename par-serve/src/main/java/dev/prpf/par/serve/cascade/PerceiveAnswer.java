package dev.prpf.par.serve.cascade;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The answer of {@code /v1/perceive} and of a session's frame.
 *
 * @param pTrigger the perceiver's probability that help is due
 * @param trigger whether help is due and allowed
 * @param threshold τ that it was compared with
 * @param withheld names of signals that the user's policy withholds
 * @param silence why there is no trigger; null if there is one
 * @param steps of the session so far; absent outside of a session
 */
record PerceiveAnswer(
        double pTrigger,
        boolean trigger,
        double threshold,
        Map<String, Double> scenarios,
        List<String> withheld,
        @Nullable String silence,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long steps) {
    PerceiveAnswer after(long stepsSoFar) {
        return new PerceiveAnswer(pTrigger, trigger, threshold, scenarios, withheld, silence, stepsSoFar);
    }
}
