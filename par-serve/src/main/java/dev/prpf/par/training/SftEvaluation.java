package dev.prpf.par.training;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a fine-tuning stands on its held-out examples.
 *
 * @param step after which
 * @param loss mean over their response tokens, nats
 * @param accuracy share of these that were the likeliest token
 * @param answers greedy answers to their prompts; null where the configuration does not compare by reward
 */
record SftEvaluation(long step, double loss, double accuracy, @Nullable PolicyEvaluation answers) {
    /** Whether this is the one to keep; of equals the earlier one is. */
    boolean better(@Nullable SftEvaluation than, SftConfig.Selection by) {
        if (than == null || by == SftConfig.Selection.LAST) {
            return true;
        }
        PolicyEvaluation before = than.answers;
        if (answers != null && before != null) {
            return answers.reward() > before.reward();
        }
        return loss < than.loss;
    }

    /** As a line of metrics. */
    Map<String, @Nullable Object> metrics() {
        Map<String, @Nullable Object> line = new LinkedHashMap<>();
        line.put("eval_loss", loss);
        line.put("eval_mean_token_accuracy", accuracy);
        if (answers != null) {
            line.putAll(answers.metrics());
        }
        return line;
    }
}
