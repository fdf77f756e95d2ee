package dev.prpf.par.training;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Greedy responses of a policy to prompts; shares in percent.
 *
 * @param n prompts
 * @param reward mean
 * @param malformed share that breaks the grammar
 * @param ftr share of prompts whose every answer is silence that was answered by action (PRPF eq. 30); null without such prompts
 * @param recall share of prompts that want an intervention and got one; null without such prompts
 * @param correct share of right silences and of interventions of more than half quality
 * @param meanLength tokens
 */
public record PolicyEvaluation(
        int n,
        double reward,
        double malformed,
        @Nullable Double ftr,
        @Nullable Double recall,
        double correct,
        @JsonProperty("mean_length") double meanLength) {
    /** The figures by name. */
    public Map<String, @Nullable Object> byName() {
        Map<String, @Nullable Object> figures = new LinkedHashMap<>();
        figures.put("n", n);
        figures.put("reward", reward);
        figures.put("malformed", malformed);
        figures.put("ftr", ftr);
        figures.put("recall", recall);
        figures.put("correct", correct);
        figures.put("mean_length", meanLength);
        return figures;
    }

    /** As a line of metrics. */
    Map<String, @Nullable Object> metrics() {
        Map<String, @Nullable Object> line = new LinkedHashMap<>();
        byName().forEach((name, value) -> line.put("eval_" + name, value));
        line.remove("eval_n");
        return line;
    }
}
