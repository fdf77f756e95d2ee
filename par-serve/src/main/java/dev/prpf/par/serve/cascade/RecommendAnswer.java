package dev.prpf.par.serve.cascade;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PredictionCost;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The answer of {@code /v1/recommend} and of a question in a session.
 *
 * @param route whether the gate kept the sample from the reasoner
 * @param pTrigger null where nothing was perceived
 * @param scenarios empty where nothing was perceived
 * @param candidateFunctions names of the functions that the response may call
 * @param response the reasoner's text; null if it did not run, or if its text may not be shown
 * @param recommendations {@code {"instruction", "functions"}} as in a record; empty is silence; null is a malformed response
 * @param finish why the response ended; null without a response
 * @param cost in the format of a line of {@code eval run}
 * @param withheld names of signals that the user's policy withholds
 * @param silence why nothing is recommended; null where something is
 */
record RecommendAnswer(
        Prediction.Route route,
        @Nullable Double pTrigger,
        double threshold,
        Map<String, Double> scenarios,
        List<String> candidateFunctions,
        @Nullable String response,
        @Nullable List<JsonNode> recommendations,
        Prediction.@Nullable Finish finish,
        PredictionCost cost,
        List<String> withheld,
        @Nullable String silence) {}
