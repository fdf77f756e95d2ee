package dev.prpf.par.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.engine.CausalLm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
class SchedulerTest {
    private static final int ROUNDS = 12;

    @ParameterizedTest
    @EnumSource
    void sequences_equalTheirPlainReplayInAnyTraffic(TinyDecoder kind) {
        try (CausalLm decoder = kind.make(RandomTraffic.VOCABULARY, RandomTraffic.POSITIONS)) {
            PlainReplay replay = new PlainReplay(decoder);
            long prefixTokens = 0;
            for (int seed = 0; seed < ROUNDS; seed++) {
                RandomTraffic traffic = new RandomTraffic(decoder, seed);
                try {
                    traffic.run(replay);
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("seed " + seed + ", " + traffic.settings(), e);
                }
                prefixTokens += traffic.stats().prefixTokens();
            }
            assertThat(replay.tokens()).isGreaterThan(100 * ROUNDS);
            assertThat(prefixTokens).isGreaterThan(50 * ROUNDS);
            assertThat(replay.divergences()).isLessThanOrEqualTo(replay.tokens() / 1_000);
        }
    }
}
