package dev.prpf.par.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.par.bench.DecoderBench.DecodingCost;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderConfig.Mixer;
import dev.prpf.par.engine.DecoderConfig.SpecialTokens;
import dev.prpf.par.engine.DecoderFamily;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.DeltaNetShape;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DecodingCostTest {
    private static final int WIDTH = 8;
    private static final int VOCABULARY = 40;

    /** Matrices of one full layer: q 8x8, k and v 4x8, o 8x8, gate, up and down 12x8. */
    private static final long LAYER = 64 + 32 + 32 + 64 + 3 * 96;

    private static DecoderConfig config(boolean tied) {
        return new DecoderConfig(
                DecoderFamily.LLAMA,
                VOCABULARY,
                WIDTH,
                12,
                DecoderConfig.fullAttention(2),
                AttentionShape.of(2, 1, 4, 1e4),
                null,
                64,
                1e-5,
                tied,
                new SpecialTokens(null, List.of(), null));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPromptGoesThroughTheLayersAndItsLastPositionThroughTheHead(boolean tied) {
        // scores and their use: 2 operations each for every pair that is seen, half of 10 x 11, over two heads of width
        // 4
        double attention = 2 * (2 * 2 * (10 * 11 / 2.0) * 8);
        double expected = 2.0 * 2 * LAYER * 10 + 2.0 * VOCABULARY * WIDTH + attention;

        assertThat(new DecodingCost(config(tied)).prefillFlop(3, 10)).isCloseTo(3 * expected, within(1e-6));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStepReadsEveryMatrixOnceAndWhatEachRowRemembers(boolean tied) {
        try (DecoderWeights weights = ModelInit.drawn(config(tied));
                CausalLm fp32 = CausalLm.of(weights, Precision.FP32);
                CausalLm int8 = CausalLm.of(weights, Precision.INT8)) {
            DecodingCost cost = new DecodingCost(config(tied));
            long matrices = 2 * LAYER + VOCABULARY * WIDTH;
            double keysAndValues = 2 * 2 * 4 * 10.0;

            assertThat(cost.stepBytes(fp32, 1, 10)).isCloseTo(4 * (matrices + keysAndValues), within(1e-6));
            assertThat(cost.stepBytes(fp32, 5, 10)).isCloseTo(4 * (matrices + 5 * keysAndValues), within(1e-6));
            assertThat(cost.stepBytes(int8, 1, 0)).isCloseTo((double) matrices, within(1e-6));
        }
    }

    @Test
    void statesOfDeltaNetsAreReadAndWrittenWhateverTheLength() {
        DecoderConfig config = new DecoderConfig(
                DecoderFamily.QWEN3_5,
                VOCABULARY,
                WIDTH,
                12,
                List.of(Mixer.Kind.LINEAR_ATTENTION, Mixer.Kind.FULL_ATTENTION),
                AttentionShape.of(2, 1, 4, 1e4),
                new DeltaNetShape(1, 2, 4, 6, 4),
                64,
                1e-5,
                true,
                new SpecialTokens(null, List.of(), null));
        try (DecoderWeights weights = ModelInit.drawn(config);
                CausalLm decoder = CausalLm.of(weights, Precision.FP32)) {
            DecodingCost cost = new DecodingCost(config);
            double one = cost.stepBytes(decoder, 1, 10);
            double two = cost.stepBytes(decoder, 2, 10);

            assertThat(two - one).isCloseTo(4 * (2 * 2 * 4 * 6 + 2 * 4 * 10), within(1e-6));
        }
    }
}
