package dev.prpf.par.bench;

import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.run.StopSignal;
import dev.prpf.par.bench.BenchMetrics.Spread;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.generate.Scheduler;
import dev.prpf.par.generate.Scheduler.SchedulerSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Measures {@link Scheduler} with prompts of random tokens and no end tokens. It compares continuous batching with a static batch,
 * a repeated prefix with a new one, and tokens in a batch with tokens of single sequences.
 *
 * @param config the decoder's
 * @param settings rounds, and mean tokens of prompts and responses; each has between half and 1.5 times as many
 * @param prefix tokens that two prompts have in common
 */
public record SchedulerBench(DecoderConfig config, DecoderBench.Settings settings, int prefix) {
    private static final int SLOTS = 16;
    private static final int SEQUENCES = 64;
    private static final int OWN_END = 32;
    private static final long SEED = 17;

    public SchedulerBench {
        int positions = config.maxPositions();
        if (prefix < 1 || prefix > positions - OWN_END) {
            throw new UsageException("--prefix = " + prefix + ", must be from 1 to " + (positions - OWN_END)
                    + ": the model has " + positions + " positions, " + OWN_END + " of them for the prompts' own ends");
        }
        int prompt = settings.prompt();
        int newTokens = settings.newTokens();
        if (newTokens < 2 || 3L * (prompt + newTokens) > 2L * positions) {
            throw new UsageException("--prompt = " + prompt + " and --new = " + newTokens + ": --scheduler needs at"
                    + " least 2 new tokens; 1.5 times the sum of both must fit the model's " + positions + " positions");
        }
    }

    /**
     * Returns all metrics of a decoder.
     *
     * @throws dev.prpf.base.error.PrpfException 75 at the next token once a signal came
     */
    SchedulerMetrics measure(CausalLm decoder, StopSignal stop) {
        List<GenerationRequest> mixed = mixed();
        SchedulerSettings scheduling = SchedulerSettings.of(SLOTS, positions(mixed));
        fixedBatch(decoder, stop); // not measured
        List<ScheduledRun> fixed = new ArrayList<>();
        List<ScheduledRun> flowing = new ArrayList<>();
        List<double[]> prefixes = new ArrayList<>();
        for (int i = 0; i < settings.rounds(); i++) {
            fixed.add(fixedBatch(decoder, stop));
            flowing.add(ScheduledRun.of(decoder, scheduling, mixed, stop));
            prefixes.add(prefix(decoder, stop));
        }
        ScheduledRun alone = ScheduledRun.of(
                decoder, SchedulerSettings.of(1, scheduling.maxPositions()), mixed.subList(0, SLOTS), stop);
        return new SchedulerMetrics(
                decoder.shape().precision().label(),
                batching(fixed, flowing),
                new SchedulerMetrics.Prefix(
                        prefix,
                        Spread.of(prefixes, seconds -> 1e3 * seconds[0]),
                        Spread.of(prefixes, seconds -> 1e3 * seconds[1]),
                        Spread.of(prefixes, seconds -> seconds[1] / seconds[0])),
                alone.differing(flowing.get(0)) / (double) SLOTS);
    }

    private List<GenerationRequest> mixed() {
        SplittableRandom random = new SplittableRandom(SEED);
        return IntStream.range(0, SEQUENCES)
                .mapToObj(i -> task(random, around(random, settings.prompt()), around(random, settings.newTokens())))
                .toList();
    }

    private static int around(SplittableRandom random, int mean) {
        return random.nextInt((mean + 1) / 2, mean + mean / 2 + 1);
    }

    private GenerationRequest task(SplittableRandom random, int promptTokens, int length) {
        long[] ids = random.longs(promptTokens, 0, config.vocabularySize()).toArray();
        return new GenerationRequest(Prompt.ofText(ids), SamplingParams.greedy(length, List.of()), 0, null);
    }

    static int positions(List<GenerationRequest> tasks) {
        return tasks.stream()
                .mapToInt(task -> task.prompt().length() + task.params().maxNewTokens() - 1)
                .max()
                .orElseThrow();
    }

    /** All prompts in the first pass; then all sequences write, one token a pass, until all end in the same one. */
    private ScheduledRun fixedBatch(CausalLm decoder, StopSignal stop) {
        SplittableRandom random = new SplittableRandom(SEED);
        List<GenerationRequest> even = IntStream.range(0, SLOTS)
                .mapToObj(i -> task(random, settings.prompt(), settings.newTokens()))
                .toList();
        int allPrompts = SLOTS * (settings.prompt() + 1);
        SchedulerSettings scheduling = new SchedulerSettings(SLOTS, positions(even), allPrompts, 0, false, 0);
        return ScheduledRun.of(decoder, scheduling, even, stop);
    }

    private SchedulerMetrics.Batching batching(List<ScheduledRun> fixed, List<ScheduledRun> flowing) {
        double read = (double) SLOTS * settings.prompt();
        double written = SLOTS * (settings.newTokens() - 1.0);
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < settings.rounds(); i++) {
            ScheduledRun one = fixed.get(i);
            ScheduledRun.Busy busy = flowing.get(i).busy();
            double expected = busy.promptTokens() * one.first() / read
                    + busy.newTokens() * (one.seconds() - one.first()) / written;
            ratios.add(expected / busy.seconds());
        }
        ScheduledRun.Busy busy = flowing.get(0).busy();
        return new SchedulerMetrics.Batching(
                SLOTS,
                SEQUENCES,
                Spread.of(fixed, run -> read / run.first()),
                Spread.of(fixed, run -> written / (run.seconds() - run.first())),
                busy.promptTokens(),
                busy.newTokens(),
                Spread.of(flowing, run -> run.busy().seconds()),
                Spread.of(ratios, ratio -> ratio));
    }

    private static GenerationRequest request(long[] prompt) {
        return new GenerationRequest(Prompt.ofText(prompt), SamplingParams.greedy(1, List.of()), 0, null);
    }

    /** Seconds to the first token of a prompt and of another one that begins like it. */
    private double[] prefix(CausalLm decoder, StopSignal stop) {
        SplittableRandom random = new SplittableRandom(SEED);
        long[] first = task(random, prefix + OWN_END, 1).prompt().ids();
        long[] second = first.clone();
        System.arraycopy(task(random, OWN_END, 1).prompt().ids(), 0, second, prefix, OWN_END);
        double[] seconds = new double[2];
        try (Scheduler scheduler = new Scheduler(decoder, SchedulerSettings.of(1, first.length))) {
            seconds[0] = ScheduledRun.of(scheduler, 1, List.of(request(first)), stop)
                    .first();
            seconds[1] = ScheduledRun.of(scheduler, 1, List.of(request(second)), stop)
                    .first();
        }
        return seconds;
    }
}
