package dev.prpf.eval.run;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.par.cascade.Prediction;
import java.util.List;

/**
 * What a run gave, resumed parts included.
 *
 * @param predictions path of the file
 * @param samples predictions in it
 * @param silentByGate kept from the reasoner
 * @param reasoned reasoned about
 * @param acting of these, with at least one call
 * @param malformed of these, with a response that breaks the grammar
 * @param seconds wall clock of this process's part, models loaded
 */
public record RunSummary(
        @JsonProperty("predictions") String predictions,
        @JsonProperty("samples") int samples,
        @JsonProperty("silent_by_gate") int silentByGate,
        @JsonProperty("reasoned") int reasoned,
        @JsonProperty("acting") int acting,
        @JsonProperty("malformed") int malformed,
        @JsonProperty("seconds") double seconds) {

    static RunSummary of(String file, List<Prediction> predictions, double seconds) {
        int silent = 0;
        int acting = 0;
        int malformed = 0;
        for (Prediction prediction : predictions) {
            silent += prediction.route() == Prediction.Route.SILENT ? 1 : 0;
            List<?> scored = prediction.scored();
            malformed += scored == null ? 1 : 0;
            acting += scored != null && !scored.isEmpty() ? 1 : 0;
        }
        int all = predictions.size();
        return new RunSummary(file, all, silent, all - silent, acting, malformed, seconds);
    }
}
