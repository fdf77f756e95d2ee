package dev.prpf.par.bench;

import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.run.StopSignal;
import dev.prpf.par.bench.BenchMetrics.Spread;
import dev.prpf.par.constraint.ModelConstraints;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.generate.Scheduler.SchedulerSettings;
import dev.prpf.par.generate.TokenConstraint;
import dev.prpf.par.sets.PromptExample;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures greedy responses to real prompts with and without what writes several tokens in a pass.
 *
 * @param prompts with the functions that responses may call, at least one
 * @param constraints of the model
 * @param endTokens of the model
 * @param promptLookup tokens of a guess at most
 * @param settings of the bench: its batches and rounds
 */
public record ResponsesBench(
        List<PromptExample> prompts,
        ModelConstraints constraints,
        List<Integer> endTokens,
        int promptLookup,
        DecoderBench.Settings settings) {
    private static final Logger LOG = LoggerFactory.getLogger(ResponsesBench.class);
    private static final int MAX_NEW_TOKENS = 256;

    public ResponsesBench {
        if (promptLookup < 1) {
            throw new UsageException("--lookup = " + promptLookup + ", must be at least 1");
        }
        prompts = List.copyOf(prompts);
        endTokens = List.copyOf(endTokens);
    }

    /**
     * All metrics; what is compared runs in turn.
     *
     * @throws dev.prpf.base.error.PrpfException 75 at the next token once a signal came
     */
    List<ResponseMetrics> measure(CausalLm decoder, StopSignal stop) {
        List<ResponseMetrics> rows = new ArrayList<>();
        for (boolean constrained : new boolean[] {true, false}) {
            List<GenerationRequest> tasks = tasks(decoder, constrained);
            ScheduledRun alone = null;
            for (int batch : settings.batches()) {
                List<ResponseMetrics.Way> ways = ways(decoder, constrained, batch);
                LOG.info("{} responses, {}", prompts.size(), ways.get(0));
                List<List<ScheduledRun>> runs = runs(decoder, ways, tasks, stop);
                alone = Objects.requireNonNullElse(alone, runs.get(0).get(0));
                for (int i = 0; i < ways.size(); i++) {
                    rows.add(row(ways.get(i), runs.get(0), runs.get(i), alone));
                }
            }
        }
        return rows;
    }

    private List<ResponseMetrics.Way> ways(CausalLm decoder, boolean constrained, int batch) {
        String dtype = decoder.shape().precision().label();
        return Stream.of(false, true)
                .filter(jumpForward -> constrained || !jumpForward)
                .flatMap(jumpForward -> IntStream.of(0, promptLookup)
                        .mapToObj(lookup -> new ResponseMetrics.Way(dtype, batch, constrained, jumpForward, lookup)))
                .toList();
    }

    private List<GenerationRequest> tasks(CausalLm decoder, boolean constrained) {
        int vocabulary = decoder.config().vocabularySize();
        SamplingParams params = SamplingParams.greedy(MAX_NEW_TOKENS, endTokens);
        List<GenerationRequest> tasks = new ArrayList<>();
        for (PromptExample prompt : prompts) {
            Supplier<TokenConstraint> kept = () -> constraints.of(vocabulary, prompt.form(), prompt.functions());
            tasks.add(new GenerationRequest(Prompt.ofText(prompt.ids()), params, 0, constrained ? kept : null));
        }
        return tasks;
    }

    /** For each way to write, the runs of all rounds. */
    private List<List<ScheduledRun>> runs(
            CausalLm decoder, List<ResponseMetrics.Way> ways, List<GenerationRequest> tasks, StopSignal stop) {
        List<List<ScheduledRun>> runs = new ArrayList<>();
        for (ResponseMetrics.Way way : ways) {
            ScheduledRun.of(
                    decoder, scheduling(decoder, way), tasks.subList(0, Math.min(way.batch(), tasks.size())), stop);
            runs.add(new ArrayList<>());
        }
        for (int round = 0; round < settings.rounds(); round++) {
            for (int i = 0; i < ways.size(); i++) {
                runs.get(i).add(ScheduledRun.of(decoder, scheduling(decoder, ways.get(i)), tasks, stop));
            }
        }
        return runs;
    }

    private SchedulerSettings scheduling(CausalLm decoder, ResponseMetrics.Way way) {
        int positions = Math.min(decoder.config().maxPositions(), PromptExample.longest(prompts) + MAX_NEW_TOKENS - 1);
        SchedulerSettings usual = SchedulerSettings.of(way.batch(), positions);
        return new SchedulerSettings(
                way.batch(),
                positions,
                usual.maxBatchedTokens(),
                usual.prefixCacheBytes(),
                way.jumpForward(),
                way.promptLookup());
    }

    private static ResponseMetrics row(
            ResponseMetrics.Way way, List<ScheduledRun> plain, List<ScheduledRun> runs, ScheduledRun alone) {
        List<Double> ratios = IntStream.range(0, runs.size())
                .mapToObj(i -> runs.get(i).seconds() / plain.get(i).seconds())
                .toList();
        ScheduledRun run = runs.get(0);
        return new ResponseMetrics(
                way,
                run.ids().size(),
                run.tokens(),
                run.passes() / (double) run.tokens(),
                Spread.of(runs, ScheduledRun::seconds),
                Spread.of(ratios, ratio -> ratio),
                run.differing(plain.get(0)),
                run.differing(alone));
    }
}
