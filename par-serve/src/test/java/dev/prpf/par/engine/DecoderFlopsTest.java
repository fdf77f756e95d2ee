package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.assertj.core.data.Offset;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DecoderFlopsTest {
    private static final Offset<Double> EXACTLY = within(1e-6);

    /** Matrices of a layer of {@link TinyModels#config}: q and o 32x32, k and v 16x32, gate, up and down 48x32. */
    private static final double LAYER = 2 * 32 * 32 + 2 * 16 * 32 + 3 * 48 * 32;

    private static final double HEAD = 2 * 50 * 32;

    @ParameterizedTest
    @CsvSource({"0, 1, 1", "0, 4, 10", "3, 1, 4", "3, 3, 15"})
    void aQuerySeesItselfAndAllBeforeIt(int begin, int tokens, double seen) {
        assertThat(DecoderFlops.seen(begin, tokens, Integer.MAX_VALUE)).isEqualTo(seen, EXACTLY);
    }

    @ParameterizedTest
    @CsvSource({"0, 4, 2, 7", "0, 4, 3, 9", "5, 2, 3, 6", "1, 3, 3, 8", "0, 2, 8, 3"})
    void aWindowHidesWhatLiesBeforeIt(int begin, int tokens, int window, double seen) {
        assertThat(DecoderFlops.seen(begin, tokens, window)).isEqualTo(seen, EXACTLY);
    }

    @Test
    void tokenUsesEveryMatrix_andTheHeadIfItsLogitsAreRequested() {
        DecoderFlops flops = new DecoderFlops(TinyModels.config(50, 64, true));
        double attention = 2 * 4 * 4 * 8.0; // two layers, four heads of eight, a score and a value: 4 operations a pair
        assertThat(flops.of(0, 1, 1)).isEqualTo(2 * 2 * LAYER + attention + HEAD, EXACTLY);
        assertThat(flops.of(0, 1, 0)).isEqualTo(2 * 2 * LAYER + attention, EXACTLY);
        assertThat(flops.of(7, 1, 0)).isEqualTo(2 * 2 * LAYER + 8 * attention, EXACTLY);
        assertThat(flops.matrixWeights()).isEqualTo((long) (2 * LAYER + 50 * 32));
    }

    @Test
    void chunksCostWhatTheWholeCosts() {
        for (DecoderConfig config : List.of(TinyModels.config(50, 64, false), TinyModels.qwen35(50, 64))) {
            DecoderFlops flops = new DecoderFlops(config);
            double chunks = flops.of(0, 5, 0) + flops.of(5, 6, 0) + flops.of(11, 2, 1);
            assertThat(flops.of(0, 13, 1)).isCloseTo(chunks, Percentage.withPercentage(1e-9));
        }
    }

    @Test
    void aDeltaNetCostsTheSameWhereverATokenStands() {
        DeltaNetShape delta = new DeltaNetShape(2, 4, 8, 6, 4);
        int channels = 2 * 2 * 8 + 4 * 6;
        assertThat(delta.flops(0, 1)).isEqualTo(2 * (channels * 4 + 3 * 4 * 8 * 6), EXACTLY);
        assertThat(delta.flops(1_000, 3)).isEqualTo(3 * delta.flops(0, 1), EXACTLY);
    }

    /** SmolLM2-135M: for a short prompt twice its parameters a token, up to the head's share, as PRPF eq. 31's first term. */
    @Test
    void aShortPromptTakesAboutTwiceTheParametersAToken() {
        DecoderConfig config =
                TinyModels.llama(49_152, 576, 1536, 30, AttentionShape.of(9, 3, 64, 100_000), 8192, true, List.of(2));
        double all = new DecoderFlops(config).of(0, 16, 16);
        assertThat(all / 16).isCloseTo(2.0 * config.parameterCount(), Percentage.withPercentage(0.5));
    }
}
