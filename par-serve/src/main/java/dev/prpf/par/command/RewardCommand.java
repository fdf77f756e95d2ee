package dev.prpf.par.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.command.PoolOption;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.response.ReasoningMode;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.reward.ResponseLine;
import dev.prpf.par.reward.RewardBreakdown;
import dev.prpf.par.reward.RewardGold;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.reward.StructuredReward;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf par reward}: the structured reward of responses, term by term. */
@Command(
        name = "reward",
        description = "Reward responses against valid answers and explain every term (PRPF eq. 15-22).",
        footer = {
            "",
            "Example:",
            "  ./prpf par reward --gold data/synth/train/benchmark_zh.json --pool data/synth/train/function_pool.json"
                    + " \\",
            "      --responses responses.jsonl --json"
        })
public final class RewardCommand implements Callable<Integer> {
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
            paramLabel = "none|full",
            description = "The form that responses must have (default: any form of the grammar).")
    private @Nullable ReasoningMode reasoning;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "The constants, see configs/par-reward.yaml (default: the paper's).")
    private @Nullable Path config;

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "Override one constant (repeatable).")
    private List<String> overrides = List.of();

    @Mixin
    private JsonOption output;

    @Override
    public Integer call() {
        RewardSettings settings = config == null
                ? StrictYaml.readText(
                        "the paper's constants",
                        StrictYaml.write(RewardSettings.PAPER),
                        RewardSettings.class,
                        overrides)
                : StrictYaml.read(config, RewardSettings.class, overrides);
        FunctionPool functions = pool.functions();
        Map<String, Sample> samples =
                RewardGold.of(SampleReader.readAll(gold), gold.toString(), functions, pool.place());
        StructuredReward reward = new StructuredReward(settings, functions);
        if (responses.equals(STANDARD_INPUT)) {
            answer(reward, samples);
            return 0;
        }
        List<ResponseLine> lines = ResponseLine.read(responses, samples.keySet(), gold.toString());
        List<RewardBreakdown> rewards = lines.parallelStream()
                .map(line -> score(reward, Objects.requireNonNull(samples.get(line.id())), line))
                .toList();
        write(lines, rewards);
        return 0;
    }

    private void answer(StructuredReward reward, Map<String, Sample> samples) {
        RewardText text = new RewardText(output.json);
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            int number = 0;
            for (String said = in.readLine(); said != null; said = in.readLine()) {
                number++;
                if (said.isBlank()) {
                    continue;
                }
                ResponseLine line =
                        ResponseLine.of("standard input:" + number, said, samples.keySet(), gold.toString());
                Sample sample = Objects.requireNonNull(samples.get(line.id()));
                ResultStream.line(text.of(line, score(reward, sample, line)));
            }
        } catch (IOException e) {
            throw new InvalidDataException("standard input: cannot be read as responses: " + e);
        }
    }

    private RewardBreakdown score(StructuredReward reward, Sample sample, ResponseLine line) {
        if (line.response() != null) {
            return reward.score(sample, line.response(), form(sample));
        }
        return line.calls() == null || line.calls().isEmpty()
                ? reward.score(sample, List.of())
                : reward.score(sample, line.calls().get(0));
    }

    private ResponseForm form(Sample sample) {
        return reasoning == null ? ResponseForm.ANY : ResponseForm.of(reasoning, sample.modality());
    }

    private void write(List<ResponseLine> lines, List<RewardBreakdown> rewards) {
        RewardText text = new RewardText(output.json);
        for (int from = 0; from < lines.size(); from += WRITTEN_TOGETHER) {
            StringBuilder some = new StringBuilder();
            IntStream.range(from, Math.min(lines.size(), from + WRITTEN_TOGETHER))
                    .forEach(i ->
                            some.append(text.of(lines.get(i), rewards.get(i))).append('\n'));
            ResultStream.text(some.toString());
        }
        if (!output.json) {
            ResultStream.line(RewardText.summary(rewards));
        }
    }
}
