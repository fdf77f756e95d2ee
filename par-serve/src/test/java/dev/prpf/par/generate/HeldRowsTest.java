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
import org.junit.jupiter.api.Test;

/** Rows of a busy tenant that are held, with a clock that counts tokens. */
class HeldRowsTest {
    private static final long MS = 1_000_000;
    private final AtomicLong now = new AtomicLong();
    private long extra;

    private static long[] prompt(long seed, int length) {
        return new Random(seed).longs(length, 0, 40).toArray();
    }

    private static Sequence add(Scheduler scheduler, String tenant, long[] prompt, int tokens) {
        return scheduler.add(
                new GenerationRequest(Prompt.ofText(prompt), SamplingParams.greedy(tokens, List.of()), 0, null, tenant),
                null);
    }

    private static int sum(List<Sequence> all) {
        return all.stream().mapToInt(Sequence::length).sum();
    }

    @Test
    void onePassThatIsSlow_doesNotEndTheHolding() {
        for (boolean pause : new boolean[] {false, true}) {
            List<Sequence> all = new ArrayList<>();
            AtomicLong written = new AtomicLong();
            LongSupplier clock = () -> {
                long length = sum(all);
                long add = MS * (length - written.getAndSet(length)) + MS / 2 + extra;
                return now.addAndGet(add);
            };
            try (CausalLm decoder = TinyDecoder.LLAMA.make(40, 400);
                    Scheduler scheduler =
                            new Scheduler(decoder, new SchedulerSettings(13, 400, 64, 0, true, 0), clock)) {
                List<Sequence> a = new ArrayList<>();
                for (int i = 0; i < 10; i++) {
                    a.add(add(scheduler, "a", prompt(i, 2), 300));
                }
                all.addAll(a);
                for (int i = 0; i < 10; i++) {
                    scheduler.step();
                }
                Sequence b = add(scheduler, "b", prompt(99, 2), 200);
                all.add(b);
                for (int i = 0; i < 4; i++) {
                    scheduler.step();
                }
                extra = pause ? 50 * MS : 0;
                scheduler.step();
                extra = 0;
                int a0 = sum(a);
                int b0 = b.length();
                long t0 = now.get();
                for (int i = 0; i < 120; i++) {
                    scheduler.step();
                }
                assertThat(b.length() - b0).isEqualTo(120);
                assertThat((now.get() - t0) / MS)
                        .as("ms for b's 120 tokens, a wrote %s", sum(a) - a0)
                        .isLessThan(600);
            }
        }
    }

    @Test
    void rowsThatCostLittle_areSeldomHeld() { // 20 ms a pass and 0.1 ms a row
        List<Sequence> all = new ArrayList<>();
        AtomicLong written = new AtomicLong();
        LongSupplier clock = () -> {
            long length = sum(all);
            long more = length - written.getAndSet(length);
            return now.addAndGet(more == 0 ? 1 : 20 * MS + more * MS / 10);
        };
        try (CausalLm decoder = TinyDecoder.LLAMA.make(40, 400);
                Scheduler scheduler = new Scheduler(decoder, new SchedulerSettings(13, 400, 64, 0, true, 0), clock)) {
            List<Sequence> a = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                a.add(add(scheduler, "a", prompt(i, 2), 300));
            }
            all.addAll(a);
            for (int i = 0; i < 10; i++) {
                scheduler.step();
            }
            Sequence b = add(scheduler, "b", prompt(99, 2), 300);
            all.add(b);
            for (int i = 0; i < 10; i++) {
                scheduler.step();
            }
            int a0 = sum(a);
            int b0 = b.length();
            for (int i = 0; i < 200; i++) {
                scheduler.step();
            }
            assertThat(b.length() - b0).isEqualTo(200);
            assertThat(sum(a) - a0)
                    .as("of 2,000, where holding rows gains little")
                    .isGreaterThan(1_400);
        }
    }
}
