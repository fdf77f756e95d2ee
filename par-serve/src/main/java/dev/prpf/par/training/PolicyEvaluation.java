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
    private static final double QUALITY_ABOVE = 0.5;

    /** Of at least one answer. */
    public static PolicyEvaluation of(List<AnsweredPrompt> answers) {
        List<AnsweredPrompt> silent = answers.stream()
                .filter(answer -> !answer.prompt().intervention())
                .toList();
        List<AnsweredPrompt> due = answers.stream()
                .filter(answer -> answer.prompt().intervention())
                .toList();
        return new PolicyEvaluation(
                answers.size(),
                answers.stream()
                        .mapToDouble(answer -> answer.earned().total())
                        .average()
                        .orElseThrow(),
                percent(answers, answer -> answer.earned().outcome() == null),
                silent.isEmpty() ? null : (Double) percent(silent, AnsweredPrompt::acts),
                due.isEmpty() ? null : (Double) percent(due, AnsweredPrompt::acts),
                percent(answers, answer -> answer.earned().correct(QUALITY_ABOVE)),
                answers.stream().mapToInt(AnsweredPrompt::length).average().orElseThrow());
    }

    private static double percent(List<AnsweredPrompt> answers, Predicate<AnsweredPrompt> holds) {
        return 100.0 * answers.stream().filter(holds).count() / answers.size();
    }

    /** As a line of metrics. */
    public Map<String, Object> metrics() {
        Map<String, Object> line = new LinkedHashMap<>();
        JsonRecords.tree(this).properties().forEach(figure -> line.put("eval_" + figure.getKey(), figure.getValue()));
        line.remove("eval_n");
        return line;
    }
}
