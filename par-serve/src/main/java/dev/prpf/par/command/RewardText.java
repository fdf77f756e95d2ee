package dev.prpf.par.command;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.reward.ConfusionOutcome;
import dev.prpf.par.reward.ResponseLine;
import dev.prpf.par.reward.RewardBreakdown;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Rewards as people or scripts read them. */
final class RewardText {
    private final boolean json;

    RewardText(boolean json) {
        this.json = json;
    }

    /** One response's; without a line's end. */
    String of(ResponseLine line, RewardBreakdown reward) {
        return json ? json(line, reward) : explained(line, reward);
    }

    private record Rewarded(
            String id,
            double total,
            Map<String, Double> terms,
            @JsonProperty("quadrant") @Nullable ConfusionOutcome outcome) {}

    private static String json(ResponseLine line, RewardBreakdown reward) {
        return JsonRecords.write(new Rewarded(line.id(), reward.total(), reward.terms(), reward.outcome()));
    }

    private static String explained(ResponseLine line, RewardBreakdown reward) {
        String sum = reward.terms().entrySet().stream()
                .filter(term -> term.getValue() != 0)
                .map(term -> term.getKey() + " " + number(term.getValue()))
                .collect(Collectors.joining(" + "));
        return line.id() + "  " + outcome(reward.outcome()) + "  " + number(reward.total()) + " = "
                + (sum.isEmpty() ? "0" : sum) + "\n    " + why(line, reward);
    }

    private static String why(ResponseLine line, RewardBreakdown reward) {
        RewardBreakdown.Parts parts = reward.parts();
        if (reward.outcome() == null) {
            String fault = line.response() != null
                            && ResponseParser.parse(line.response()) instanceof ParResponse.Malformed malformed
                    ? "at character " + malformed.where() + ": " + malformed.why()
                    : "not of the form asked for";
            return fault + "; schema " + number(parts.schema());
        }
        String gold = "measured against " + calls(reward.gold());
        return reward.outcome() == ConfusionOutcome.TP
                ? "names " + number(parts.names()) + ", order " + number(parts.order()) + ", filled "
                        + number(parts.filled()) + ", values " + number(parts.values()) + ", " + gold
                : gold;
    }

    private static String calls(@Nullable List<FunctionCall> gold) {
        return gold == null || gold.isEmpty()
                ? "silence"
                : FunctionCallJson.write(gold).toString();
    }

    /** Means and counts over all of them. */
    static String summary(List<RewardBreakdown> rewards) {
        Map<String, Long> outcomes = rewards.stream()
                .collect(Collectors.groupingBy(
                        reward -> outcome(reward.outcome()), LinkedHashMap::new, Collectors.counting()));
        Map<String, Double> means = new LinkedHashMap<>();
        for (RewardBreakdown reward : rewards) {
            reward.terms().forEach((name, value) -> means.merge(name, value / rewards.size(), Double::sum));
        }
        double mean =
                rewards.stream().mapToDouble(RewardBreakdown::total).average().orElse(0);
        return rewards.size() + " responses " + outcomes + ", mean reward " + number(mean) + " = "
                + means.entrySet().stream()
                        .map(term -> term.getKey() + " " + number(term.getValue()))
                        .collect(Collectors.joining(" + "));
    }

    private static String outcome(@Nullable ConfusionOutcome quadrant) {
        return quadrant == null ? "malformed" : quadrant.name();
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }
}
