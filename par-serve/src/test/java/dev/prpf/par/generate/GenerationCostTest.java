package dev.prpf.par.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderFlops;
import dev.prpf.par.generate.Generation.GenerationCost;
import dev.prpf.par.generate.Scheduler.SchedulerSettings;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The cost of each sequence is independent of the other sequences. */
class GenerationCostTest {
    private static final int VOCABULARY = 64;
    private static final int POSITIONS = 512;
    private static final Percentage ROUNDING = Percentage.withPercentage(1e-9);

    private static long[] prompt(int length, int salt) {
        return LongStream.range(0, length).map(i -> (7 * i + salt) % VOCABULARY).toArray();
    }

    private static void run(Scheduler scheduler) {
        while (!scheduler.idle()) {
            assertThat(scheduler.step()).noneMatch(event -> event instanceof Scheduler.Event.Failed);
        }
    }

    private static SchedulerSettings settings(int rows, int tokens, long prefixBytes) {
        return new SchedulerSettings(rows, POSITIONS, tokens, prefixBytes, true, 0);
    }

    @ParameterizedTest
    @EnumSource
    void operationsAreIndependentOfChunksAndOtherSequences(TinyDecoder kind) {
        List<Integer> lengths = List.of(5, 40, 130);
        try (CausalLm decoder = kind.make(VOCABULARY, POSITIONS);
                Scheduler scheduler = new Scheduler(decoder, settings(2, 32, 0))) {
            List<Sequence> sequences = lengths.stream()
                    .map(length -> scheduler.add(
                            Requests.of(prompt(length, length), SamplingParams.greedy(6, List.of()), 0, null), null))
                    .toList();
            run(scheduler);
            DecoderFlops flops = new DecoderFlops(decoder.config());
            for (int i = 0; i < lengths.size(); i++) {
                Generation generation = sequences.get(i).generation();
                GenerationCost cost = generation.cost();
                int length = lengths.get(i);
                assertThat(generation.ids()).hasSize(6);
                assertThat(cost.cachedTokens()).isZero();
                assertThat(cost.prefill().flops()).isCloseTo(flops.of(0, length, 1), ROUNDING);
                double written = 0;
                for (int token = 0; token < 5; token++) {
                    written += flops.of(length + token, 1, 1);
                }
                assertThat(cost.decode().flops()).isCloseTo(written, ROUNDING);
            }
            assertThat(sequences.get(2).generation().cost().passes())
                    .as("chunks of 32")
                    .isGreaterThan(5 + 4);
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatThePrefixCacheHadIsSaidAndCostsNothing(TinyDecoder kind) {
        long[] prompt = prompt(200, 3);
        try (CausalLm decoder = kind.make(VOCABULARY, POSITIONS);
                Scheduler scheduler = new Scheduler(decoder, settings(1, 512, 1 << 28))) {
            SamplingParams params = SamplingParams.greedy(1, List.of());
            Sequence first = scheduler.add(Requests.of(prompt, params, 0, null), null);
            Sequence second = scheduler.add(Requests.of(prompt, params, 0, null), null);
            run(scheduler);
            DecoderFlops flops = new DecoderFlops(decoder.config());
            assertThat(first.generation().cost().prefill().flops()).isCloseTo(flops.of(0, 200, 1), ROUNDING);
            GenerationCost cost = second.generation().cost();
            assertThat(cost.cachedTokens()).isEqualTo(199);
            assertThat(cost.passes()).isEqualTo(1);
            assertThat(cost.prefill().flops()).isCloseTo(flops.of(199, 1, 1), ROUNDING);
            assertThat(cost.decode()).isEqualTo(GenerationCost.NONE.decode());
        }
    }

    @Test
    void forcedTokensGoThroughTogetherAndCountOnce() {
        try (CausalLm decoder = TinyDecoder.LLAMA.make(VOCABULARY, POSITIONS);
                Scheduler scheduler = new Scheduler(decoder, settings(1, 512, 0))) {
            SamplingParams params = SamplingParams.greedy(8, List.of());
            Sequence sequence = scheduler.add(
                    Requests.of(prompt(4, 1), params, 0, new RunningSequenceTest.OneRun(new long[8])), null);
            run(scheduler);
            GenerationCost cost = sequence.generation().cost();
            DecoderFlops flops = new DecoderFlops(decoder.config());
            assertThat(cost.passes()).isLessThan(sequence.length());
            int fed = 4 + sequence.length() - 1;
            assertThat(cost.prefill().flops() + cost.decode().flops())
                    .isBetween(flops.of(0, fed, 1), flops.of(0, fed, fed));
        }
    }

    /** Every pass's clock goes to the sequences that took part in it, so their seconds can be no more than all that passed. */
    @Test
    void secondsOfAllSequencesAreTheClocks() {
        try (CausalLm decoder = TinyDecoder.LLAMA.make(VOCABULARY, POSITIONS);
                Scheduler scheduler = new Scheduler(decoder, settings(3, 64, 0))) {
            Sequence[] sequences = new Sequence[5];
            Arrays.setAll(
                    sequences,
                    i -> scheduler.add(
                            Requests.of(prompt(20 + i, i), SamplingParams.greedy(4, List.of()), 0, null), null));
            long start = System.nanoTime();
            run(scheduler);
            double elapsed = (System.nanoTime() - start) / 1e9;
            double charged = Arrays.stream(sequences)
                    .map(sequence -> sequence.generation().cost())
                    .mapToDouble(
                            cost -> cost.prefill().seconds() + cost.decode().seconds())
                    .sum();
            assertThat(charged).isPositive().isLessThanOrEqualTo(elapsed);
        }
    }
}
