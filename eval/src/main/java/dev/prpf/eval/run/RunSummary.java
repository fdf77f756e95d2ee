package dev.prpf.eval.run;

import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.openai.RemoteUsage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The counts of a run, those of its resumed parts included; what {@code eval run --json} prints.
 *
 * @param predictions path of the file
 * @param samples predictions in it
 * @param silentByGate kept from the reasoner
 * @param reasoned reasoned about
 * @param acting of these, with at least one call
 * @param malformed of these, with a response that breaks the grammar
 * @param seconds wall clock of this process's part, models loaded
 * @param remote what a reasoner on a server used, or null where it ran in this process
 */
public record RunSummary(
        String predictions,
        int samples,
        int silentByGate,
        int reasoned,
        int acting,
        int malformed,
        double seconds,
        @Nullable RemoteUsage remote) {

    static RunSummary of(String file, List<Prediction> predictions, double seconds, @Nullable RemoteUsage remote) {
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
        return new RunSummary(file, all, silent, all - silent, acting, malformed, seconds, remote);
    }
}
