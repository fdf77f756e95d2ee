package dev.prpf.par.training;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.json.JsonRecords;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Greedy responses of a policy to prompts; shares in percent.
 *
 * @param n number of prompts
 * @param reward mean reward
 * @param malformed share of responses that violate the grammar
 * @param ftr share of prompts answered by an action although only silence is right (PRPF eq. 30); null without such prompts
 * @param recall share of prompts that need an intervention and got one; null without such prompts
 * @param correct share of correct silences and of interventions with more than half quality
 */
record PolicyEvaluation(
        int n,
        double reward,
        double malformed,
        @Nullable Double ftr,
        @Nullable Double recall,
        double correct,
        @JsonProperty("mean_length") double meanLength) {
    private static final double QUALITY_ABOVE = 0.5;

    /** Summarises at least one prediction. */
    public static PolicyEvaluation of(List<Predictor.Prediction> predictions) {
        List<Predictor.Prediction> silent = predictions.stream()
                .filter(prediction -> !prediction.prompt().intervention())
                .toList();
        List<Predictor.Prediction> due = predictions.stream()
                .filter(prediction -> prediction.prompt().intervention())
                .toList();
        return new PolicyEvaluation(
                predictions.size(),
                predictions.stream()
                        .mapToDouble(prediction -> prediction.earned().total())
                        .average()
                        .orElseThrow(),
                percent(predictions, prediction -> prediction.earned().outcome() == null),
                silent.isEmpty() ? null : (Double) percent(silent, Predictor.Prediction::acts),
                due.isEmpty() ? null : (Double) percent(due, Predictor.Prediction::acts),
                percent(predictions, prediction -> prediction.earned().correct(QUALITY_ABOVE)),
                predictions.stream()
                        .mapToInt(prediction -> prediction.response().length())
                        .average()
                        .orElseThrow());
    }

    private static double percent(List<Predictor.Prediction> predictions, Predicate<Predictor.Prediction> holds) {
        return 100.0 * predictions.stream().filter(holds).count() / predictions.size();
    }

    /** Returns the values as a line of metrics. */
    public Map<String, Object> metrics() {
        Map<String, Object> line = new LinkedHashMap<>();
        JsonRecords.tree(this).properties().forEach(metric -> line.put("eval_" + metric.getKey(), metric.getValue()));
        line.remove("eval_n");
        return line;
    }
}
