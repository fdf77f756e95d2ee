package dev.prpf.par.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.command.PoolOption;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.reward.ResponseLine;
import dev.prpf.par.reward.ResponseScorer;
import dev.prpf.par.reward.ResponseScorer.RewardLine;
import dev.prpf.par.reward.ResponseScorer.Scored;
import dev.prpf.par.reward.RewardBreakdown;
import dev.prpf.par.reward.RewardBreakdown.ConfusionOutcome;
import dev.prpf.par.reward.RewardSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf reasoner reward}: computes the structured reward of responses, term by term. */
@Command(
        name = "reward",
        description = "Reward responses against valid answers and explain every term (PRPF eq. 15-22).",
        footer = {
            "  ./prpf reasoner reward --gold data/synth/train/benchmark_zh.json --pool data/synth/train/function_pool.json"
                    + " \\",
            "      --responses responses.jsonl --json"
        })
final class RewardCommand implements Runnable {
    private static final int WRITTEN_TOGETHER = 1024;
    private static final Path STANDARD_INPUT = Path.of("-");

    @Option(names = "--gold", required = true, paramLabel = "FILE", description = "Labelled samples.")
    private Path gold;

    @Mixin
    private PoolOption pool;

    @Option(
            names = "--responses",
            required = true,
            paramLabel = "FILE",
            description = {
                "JSON Lines: {\"id\", \"response\": text} or {\"id\", \"calls\": [[call…]…]}; an id may come again.",
                "-: lines of standard input, each answered at once until it ends."
            })
    private Path responses;

    @Option(
            names = "--reasoning",
            paramLabel = "MODE",
            converter = ReasoningOption.class,
            description = "The form that responses must have, as prompt.reasoning (default: any form of the grammar).")
    private @Nullable ReasoningMode reasoning;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "The constants, see configs/reasoner-reward.yaml (default: the paper's).")
    private @Nullable Path config;

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "Override one constant (repeatable).")
    private List<String> overrides = List.of();

    @Mixin
    private JsonOption output;

    @Override
    public void run() {
        RewardSettings settings = config == null
                ? StrictYaml.readText("the paper's constants", "{}", RewardSettings.class, overrides)
                : StrictYaml.read(config, RewardSettings.class, overrides);
        ResponseScorer scorer = ResponseScorer.open(gold, pool.functions(), pool.place(), settings, reasoning);
        if (responses.equals(STANDARD_INPUT)) {
            answer(scorer);
            return;
        }
        List<ResponseLine> lines = ResponseLine.read(responses, scorer.ids(), gold.toString());
        write(lines.parallelStream().map(scorer::score).toList());
    }

    private void answer(ResponseScorer scorer) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            int number = 0;
            for (String said = in.readLine(); said != null; said = in.readLine()) {
                number++;
                if (said.isBlank()) {
                    continue;
                }
                ResponseLine line = ResponseLine.of("standard input:" + number, said, scorer.ids(), gold.toString());
                ResultStream.line(text(scorer.score(line)));
            }
        } catch (IOException e) {
            throw new InvalidDataException("standard input: cannot be read as responses: " + e);
        }
    }

    private void write(List<Scored> lines) {
        for (int from = 0; from < lines.size(); from += WRITTEN_TOGETHER) {
            StringBuilder some = new StringBuilder();
            IntStream.range(from, Math.min(lines.size(), from + WRITTEN_TOGETHER))
                    .forEach(i -> some.append(text(lines.get(i))).append('\n'));
            ResultStream.text(some.toString());
        }
        if (!output.json) {
            ResultStream.line(summary(lines.stream().map(Scored::reward).toList()));
        }
    }

    /** Returns one response's reward as text or JSON, without a line end. */
    private String text(Scored line) {
        return output.json ? JsonRecords.write(RewardLine.of(line)) : explained(line);
    }

    private static String explained(Scored line) {
        RewardBreakdown reward = line.reward();
        String sum = reward.terms().entrySet().stream()
                .filter(term -> term.getValue() != 0)
                .map(term -> term.getKey() + " " + number(term.getValue()))
                .collect(Collectors.joining(" + "));
        return line.id() + "  " + outcome(reward.outcome()) + "  " + number(reward.total()) + " = "
                + (sum.isEmpty() ? "0" : sum) + "\n    " + why(line);
    }

    private static String why(Scored line) {
        RewardBreakdown reward = line.reward();
        RewardBreakdown.Parts parts = reward.parts();
        ParResponse.Malformed fault = line.fault();
        if (fault != null) {
            return "at character " + fault.where() + ": " + fault.why() + "; schema " + number(parts.schema());
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

    private static String summary(List<RewardBreakdown> rewards) {
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
