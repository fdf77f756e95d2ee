package dev.prpf.par.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.FusedShape;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import java.util.List;
import org.junit.jupiter.api.Test;

class GenerationMemoryTest {
    private static final DecoderConfig ONE_LAYER =
            TinyModels.llama(100, 8, 16, 1, AttentionShape.of(2, 1, 4, 10_000), 64, true, List.of(1));

    @Test
    void aDecodersMemoryIsKnownBeforeItIsMade() {
        FusedShape shape = FusedShape.of(ONE_LAYER, Precision.FP32);
        try (DecoderWeights weights = ModelInit.random(ONE_LAYER, 1);
                CausalLm decoder = CausalLm.of(weights, Precision.FP32)) {
            assertThat(GenerationMemory.ofResponses(shape, 6, 2, 10, 5))
                    .isEqualTo(GenerationMemory.of(
                            decoder.shape(), 6, 10, 14, GenerationMemory.caches(decoder.shape(), 2, 10)));
        }
        assertThat(GenerationMemory.ofResponses(shape, 6, 2, 10, 1_000).positions())
                .as("the model's positions")
                .isEqualTo(64);
    }
}
