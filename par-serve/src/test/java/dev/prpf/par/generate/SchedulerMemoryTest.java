package dev.prpf.par.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.generate.SamplingParams.Sampling;
import dev.prpf.par.generate.SamplingParams.StoppingCriteria;
import dev.prpf.par.generate.Scheduler.SchedulerSettings;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class SchedulerMemoryTest {
    private static final int VOCABULARY = 40;
    private static final int ROUND = 100;

    private final Random random = new Random(1);

    @Test
    void tenThousandSequencesLeaveMemoryAsItWas() throws IOException {
        assertMemoryStays(TinyDecoder.LLAMA);
    }

    /** The build runs {@link #tenThousandSequencesLeaveMemoryAsItWas}, with the other kind of decoder. */
    @Test
    @Tag("nightly")
    void tenThousandSequencesOfRecurrentStatesLeaveMemoryAsItWas() throws IOException {
        assertMemoryStays(TinyDecoder.QWEN3_5);
    }

    private void assertMemoryStays(TinyDecoder kind) throws IOException {
        try (CausalLm decoder = kind.make(VOCABULARY, 100);
                Scheduler scheduler = new Scheduler(decoder, new SchedulerSettings(50, 120, 512, 300_000, true, 2))) {
            long early = Long.MAX_VALUE;
            long late = Long.MAX_VALUE;
            for (int written = ROUND; written <= 10_000; written += ROUND) {
                write(scheduler, written);
                if (written % 1_000 == 0) {
                    System.gc();
                    long resident = SamplesTest.residentBytes();
                    boolean warm =
                            written >= 3_000; // by then oneDNN has made its code for the numbers of rows that come
                    early = warm && written <= 5_000 ? Math.min(early, resident) : early;
                    late = written >= 8_000 ? Math.min(late, resident) : late;
                }
            }
            assertThat(late - early).as("less than 2 KB of each").isLessThan(10_000_000);
        }
    }

    /** Some prompts are long enough for blocks of the prefix cache, which are thrown out again. */
    private void write(Scheduler scheduler, int round) {
        int longest = round % 500 == 0 ? 90 : 1;
        for (int i = 0; i < ROUND; i++) {
            long[] prompt =
                    random.longs(1 + random.nextInt(longest), 0, VOCABULARY).toArray();
            Sampling sampling = i % 2 == 0 ? null : new Sampling(1, 5, 0.9);
            SamplingParams params = new SamplingParams(1 + i % 8 / 7, sampling, 1, StoppingCriteria.at(List.of()));
            Sequence sequence = scheduler.add(Requests.of(prompt, params, i, null), null);
            if (i % 10 == 9) {
                scheduler.step();
                scheduler.cancel(sequence);
            }
        }
        while (!scheduler.idle()) {
            scheduler.step();
        }
    }
}
