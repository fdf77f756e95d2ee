package dev.prpf.par.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.generate.Scheduler.SchedulerSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Shares of tenants in passes. The clock advances one millisecond when it is read, and four more in each slice of a constraint. */
class PassSharesTest {
    private static final int VOCABULARY = 40;
    private static final int POSITIONS = 200;
    private static final long MS = 1_000_000;

    private final AtomicLong now = new AtomicLong();
    private final AtomicLong slices = new AtomicLong();

    /** Allows every token; each token takes a number of slices. */
    private final class Slow implements TokenConstraint {
        private final int each;
        private int left;

        Slow(int each) {
            this.each = each;
            left = each;
        }

        @Override
        public boolean prepare(int tokens) {
            now.addAndGet(4 * MS);
            slices.incrementAndGet();
            left--;
            return left <= 0;
        }

        @Override
        public int shortest() {
            return 1;
        }

        @Override
        public long[] forced(int tokens) {
            return new long[0];
        }

        @Override
        public long[] allowed(int tokens) {
            return new long[] {-1};
        }

        @Override
        public void accept(long token) {
            left = each;
        }
    }

    private static long[] prompt(long seed, int length) {
        return new Random(seed).longs(length, 0, VOCABULARY).toArray();
    }

    private Scheduler scheduler(CausalLm decoder, int rows, int batched) {
        return new Scheduler(
                decoder, new SchedulerSettings(rows, POSITIONS, batched, 0, true, 0), () -> now.addAndGet(MS));
    }

    private static Sequence add(
            Scheduler scheduler, String tenant, long[] prompt, int tokens, @Nullable TokenConstraint constraint) {
        SamplingParams params = SamplingParams.greedy(tokens, List.of());
        return scheduler.add(
                new GenerationRequest(
                        Prompt.ofText(prompt), params, 0, constraint == null ? null : () -> constraint, tenant),
                null);
    }

    private static int stepsUntilDone(Scheduler scheduler, Sequence sequence) {
        int steps = 0;
        while (!sequence.done()) {
            scheduler.step();
            steps++;
            assertThat(steps).isLessThan(1000);
        }
        return steps;
    }

    @Test
    void fiftyLongPromptsOfATenant_leaveAnotherItsShareOfEachPass() {
        try (CausalLm decoder = TinyDecoder.LLAMA.make(VOCABULARY, POSITIONS);
                Scheduler scheduler = scheduler(decoder, 51, 181)) {
            List<Sequence> attack = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                attack.add(add(scheduler, "a", prompt(i, 180), 4, null));
            }
            Sequence victim = add(scheduler, "b", prompt(99, 60), 4, null);
            assertThat(stepsUntilDone(scheduler, victim))
                    .as("one pass reads the prompt, three more decode")
                    .isEqualTo(4);
            assertThat(attack).as("their 8,950 tokens are still read").noneMatch(Sequence::done);
            attack.forEach(sequence -> stepsUntilDone(scheduler, sequence));
            assertThat(attack).allMatch(sequence -> sequence.length() == 4);
        }
    }

    @Test
    void fiftySlowConstraintsOfATenant_takeAtMostTheTimeOfDecoding() {
        try (CausalLm decoder = TinyDecoder.LLAMA.make(VOCABULARY, POSITIONS);
                Scheduler scheduler = scheduler(decoder, 51, 200)) {
            for (int i = 0; i < 50; i++) {
                add(scheduler, "a", prompt(i, 1), 100, new Slow(1000));
            }
            Sequence victim = add(scheduler, "b", prompt(99, 1), 20, null);
            assertThat(stepsUntilDone(scheduler, victim)).isEqualTo(20);
            assertThat(slices)
                    .as("a slice of 5 ms in five passes of 1 ms, and what the first pass took")
                    .hasValueBetween(4L, 6L);
            slices.set(0);
            scheduler.step();
            assertThat(slices).as("a tenant alone has 20 ms").hasValueBetween(1L, 4L);
            scheduler.step();
            scheduler.step();
            assertThat(slices).hasValueBetween(8L, 12L);
        }
    }

    @Test
    void twoTenantsWithSlowConstraints_writeAtSimilarRates() {
        try (CausalLm decoder = TinyDecoder.LLAMA.make(VOCABULARY, POSITIONS);
                Scheduler scheduler = scheduler(decoder, 13, 200)) {
            List<Sequence> many = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                many.add(add(scheduler, "a", prompt(i, 1), 30, new Slow(1)));
            }
            Sequence one = add(scheduler, "b", prompt(99, 1), 30, new Slow(1));
            stepsUntilDone(scheduler, one);
            assertThat(many.stream().mapToInt(Sequence::length).sum()).isBetween(18, 24);
            assertThat(many.stream().mapToInt(Sequence::length))
                    .as("held sequences of a tenant take turns, too")
                    .allMatch(length -> length >= 1 && length <= 2);
        }
    }

    /** A pass takes a millisecond, and one more for each of its rows. */
    @ParameterizedTest
    @EnumSource
    void rowsOfABusyTenant_takeAtMostAQuarterOfTheTime(TinyDecoder kind) {
        List<Sequence> all = new ArrayList<>();
        AtomicLong written = new AtomicLong();
        LongSupplier clock = () -> {
            long length = all.stream().mapToLong(Sequence::length).sum();
            return now.addAndGet(MS * (length - written.getAndSet(length)) + MS / 2);
        };
        try (CausalLm decoder = kind.make(VOCABULARY, POSITIONS)) {
            List<long[]> alone = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                try (Scheduler scheduler = scheduler(decoder, 1, 64)) {
                    Sequence sequence = add(scheduler, "", prompt(i, 2 + i), 60, null);
                    stepsUntilDone(scheduler, sequence);
                    alone.add(sequence.generation().ids());
                }
            }
            try (Scheduler scheduler =
                    new Scheduler(decoder, new SchedulerSettings(13, POSITIONS, 64, 0, true, 0), clock)) {
                for (int i = 0; i < 10; i++) {
                    all.add(add(scheduler, "a", prompt(i, 2 + i), 60, null));
                }
                for (int i = 0; i < 10; i++) {
                    scheduler.step();
                }
                for (int i = 10; i < 12; i++) {
                    long begin = now.get();
                    int before = all.stream().mapToInt(Sequence::length).sum();
                    Sequence victim = add(scheduler, "b", prompt(i, 2 + i), 60, null);
                    all.add(victim);
                    stepsUntilDone(scheduler, victim);
                    assertThat((now.get() - begin) / MS)
                            .as("60 tokens of 2 ms, a third of it for the others, and a pass of them")
                            .isBetween(130L, 180L);
                    assertThat(all.stream().mapToInt(Sequence::length).sum() - before)
                            .as("the busy tenant has a pass in sixteen")
                            .isBetween(60 + 20, 60 + 60);
                }
                all.forEach(sequence -> stepsUntilDone(scheduler, sequence));
                for (int i = 0; i < 12; i++) {
                    assertThat(all.get(i).generation().ids()).isEqualTo(alone.get(i));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void heldSequences_writeWhatTheyWriteAlone(TinyDecoder kind) {
        try (CausalLm decoder = kind.make(VOCABULARY, POSITIONS)) {
            List<long[]> alone = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                try (Scheduler scheduler = scheduler(decoder, 1, 64)) {
                    Sequence sequence = add(scheduler, "", prompt(i, 30 + i), 12, null);
                    stepsUntilDone(scheduler, sequence);
                    alone.add(sequence.generation().ids());
                }
            }
            try (Scheduler scheduler = scheduler(decoder, 4, 64)) {
                List<Sequence> together = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    TokenConstraint slow = i < 2 ? new Slow(3) : null;
                    together.add(add(scheduler, i % 2 == 0 ? "a" : "b", prompt(i, 30 + i), 12, slow));
                }
                together.forEach(sequence -> stepsUntilDone(scheduler, sequence));
                for (int i = 0; i < 4; i++) {
                    assertThat(together.get(i).generation().ids()).isEqualTo(alone.get(i));
                }
                assertThat(slices).as("three for each token").hasValue(2 * 3 * 12);
            }
        }
    }
}
