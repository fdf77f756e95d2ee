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
    Map<String, @Nullable Object> metrics() {
        Map<String, @Nullable Object> line = new LinkedHashMap<>();
        line.put("eval_reward", reward);
        line.put("eval_malformed", malformed);
        line.put("eval_ftr", ftr);
        line.put("eval_recall", recall);
        line.put("eval_correct", correct);
        line.put("eval_mean_length", meanLength);
        return line;
    }
}
