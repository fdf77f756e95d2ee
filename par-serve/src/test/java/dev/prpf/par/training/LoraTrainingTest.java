package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.djl.pytorch.engine.PtNDArray;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.InitialScale;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.lora.LoraAdapters;
import dev.prpf.par.lora.LoraSettings;
import dev.prpf.par.sets.SftExample;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LoraTrainingTest {
    private static final String QUERY = "model.layers.0.self_attn.q_proj.weight";
    private static final LoraSettings SETTINGS = new LoraSettings(3, 6, List.of("q_proj"));

    enum Family {
        LLAMA,
        QWEN35;

        DecoderConfig config() {
            return this == LLAMA ? TinyModels.config(40, 64, true) : TinyModels.qwen35(40, 64);
        }
    }

    @ParameterizedTest
    @EnumSource
    void freshAdaptersGiveTheLossOfTheModel(Family family) {
        List<SftExample> examples = SftLossTest.examples(4, 1);
        double alone;
        try (TrainableDecoder full = TrainableDecoder.full(ModelInit.random(family.config(), 3))) {
            alone = new SftLoss(full, new ComputeSettings(Precision.FP32, false, false))
                    .value(examples, 10)
                    .loss();
        }
        DecoderWeights weights = ModelInit.random(family.config(), 3);
        LoraAdapters adapters = LoraAdapters.fresh(weights.config(), new LoraSettings(3, 6, null), 7);
        try (TrainableDecoder adapted = TestDecoders.adapted(weights, adapters)) {
            assertThat(new SftLoss(adapted, new ComputeSettings(Precision.FP32, false, false))
                            .value(examples, 10)
                            .loss())
                    .isCloseTo(alone, within(1e-6));
        }
    }

    /** With W' = W + s B A: dB = s dW' A'. The first step's dA is zero, since B is. */
    @Test
    void gradientsAreThoseOfTheProduct() {
        List<SftExample> examples = SftLossTest.examples(4, 1);
        float[] ofWeight;
        try (TrainableDecoder full = TrainableDecoder.full(ModelInit.random(TinyModels.config(40, 64, true), 3))) {
            new SftLoss(full, new ComputeSettings(Precision.FP32, false, false)).backward(examples, 10);
            ofWeight = gradient(Objects.requireNonNull(full.parameters().get(QUERY)));
        }
        DecoderWeights weights = ModelInit.random(TinyModels.config(40, 64, true), 3);
        LoraAdapters adapters = LoraAdapters.fresh(weights.config(), SETTINGS, 7);
        try (TrainableDecoder adapted = TestDecoders.adapted(weights, adapters)) {
            new SftLoss(adapted, new ComputeSettings(Precision.FP32, false, false)).backward(examples, 10);
            float[] a = adapters.a()[0].toFloatArray();
            float[] ofB = gradient(adapters.b()[0]);
            assertThat(gradient(adapters.a()[0])).containsOnly(0);
            for (int row = 0; row < 32; row++) {
                for (int r = 0; r < 3; r++) {
                    double expected = 0;
                    for (int column = 0; column < 32; column++) {
                        expected += 2.0 * ofWeight[row * 32 + column] * a[r * 32 + column];
                    }
                    assertThat(ofB[row * 3 + r]).isCloseTo((float) expected, within(1e-6f));
                }
            }
        }
    }

    @Test
    void stepsChangeTheAdaptersAndNothingElse() {
        DecoderWeights weights = ModelInit.random(TinyModels.config(40, 64, true), new InitialScale(0.2, 0), 3);
        float[] before = Objects.requireNonNull(weights.arrays().get(QUERY)).toFloatArray();
        List<SftExample> examples = SftLossTest.examples(8, 1);
        try (TrainableDecoder adapted =
                TestDecoders.adapted(weights, LoraAdapters.fresh(weights.config(), new LoraSettings(4, 8, null), 7))) {
            SftLoss loss = new SftLoss(adapted, new ComputeSettings(Precision.FP32, false, false));
            FusedAdamW optimizer = FusedAdamW.fresh(adapted, new AdamWSettings(0.9, 0.95, 1e-8, 0.01));
            long divisor = SftBatch.supervisedTokens(examples);
            double first = loss.value(examples, divisor).loss();
            for (int step = 0; step < 40; step++) {
                loss.backward(examples, divisor);
                optimizer.step(1e-2, 1.0);
            }

            assertThat(loss.value(examples, divisor).loss()).isLessThan(first - 0.3);
            assertThat(Objects.requireNonNull(weights.arrays().get(QUERY)).toFloatArray())
                    .isEqualTo(before);
        }
    }

    private static float[] gradient(PtNDArray array) {
        try (PtNDArray gradient = array.getGradient()) {
            return gradient.toFloatArray();
        }
    }
}
