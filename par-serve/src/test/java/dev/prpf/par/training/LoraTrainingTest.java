package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.djl.pytorch.engine.PtNDArray;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.Golden;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Tensors;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.training.TrainingConfig.AdamWSettings;
import dev.prpf.par.training.TrainingConfig.ComputeSettings;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class LoraTrainingTest {
    private static final String QUERY = "model.layers.0.self_attn.q_proj.weight";

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

    /** With W' = W + s B A: dB = s dW' A', and dA = s B' dW'. */
    @ParameterizedTest
    @CsvSource({"llama,false", "qwen3_5,false", "qwen3_5,true"})
    void gradientsAreThoseOfTheProduct(String family, boolean checkpointing) {
        List<SftExample> examples = SftLossTest.examples(4, 1);
        ComputeSettings compute = new ComputeSettings(Precision.FP32, false, checkpointing);
        DecoderWeights weights = golden(family);
        DecoderWeights merged = golden(family);
        LoraAdapters adapters =
                TestDecoders.filled(LoraAdapters.fresh(weights.config(), new LoraSettings(3, 1.5, null), 7), 0.1);
        for (String name : adapters.targets()) {
            PtNDArray sum = adapters.merged(
                    merged.manager(),
                    name,
                    Objects.requireNonNull(weights.arrays().get(name)));
            merged.put(name, Tensors.create(merged.manager(), sum.getShape().getShape(), sum.toFloatArray()));
        }
        try (TrainableDecoder full = TrainableDecoder.full(merged);
                TrainableDecoder adapted = TestDecoders.adapted(weights, adapters)) {
            double expected = new SftLoss(full, compute).backward(examples, 10).loss();
            assertThat(new SftLoss(adapted, compute).backward(examples, 10).loss())
                    .isCloseTo(expected, within(1e-4));
            for (int i = 0; i < adapters.targets().size(); i++) {
                String name = adapters.targets().get(i);
                float[] ofWeight =
                        gradient(Objects.requireNonNull(full.parameters().get(name)));
                PtNDArray a = TestDecoders.matrices(adapters, "A")[i];
                PtNDArray b = TestDecoders.matrices(adapters, "B")[i];
                assertThat(distance(gradient(a), ofA(ofWeight, b)))
                        .as("A of %s", name)
                        .isLessThan(1e-2);
                assertThat(distance(gradient(b), ofB(ofWeight, a)))
                        .as("B of %s", name)
                        .isLessThan(1e-2);
            }
        }
    }

    private static DecoderWeights golden(String family) {
        return HuggingFaceDirectory.open(Golden.folder(family)).weights(Precision.FP32);
    }

    /** s B' dW, for rank 3 and scale 0.5. */
    private static double[] ofA(float[] ofWeight, PtNDArray matrix) {
        float[] b = matrix.toFloatArray();
        int columns = ofWeight.length / (b.length / 3);
        double[] product = new double[3 * columns];
        for (int i = 0; i < ofWeight.length; i++) {
            for (int r = 0; r < 3; r++) {
                product[r * columns + i % columns] += 0.5 * b[i / columns * 3 + r] * ofWeight[i];
            }
        }
        return product;
    }

    /** s dW A', likewise. */
    private static double[] ofB(float[] ofWeight, PtNDArray matrix) {
        float[] a = matrix.toFloatArray();
        int columns = a.length / 3;
        double[] product = new double[3 * (ofWeight.length / columns)];
        for (int i = 0; i < ofWeight.length; i++) {
            for (int r = 0; r < 3; r++) {
                product[i / columns * 3 + r] += 0.5 * ofWeight[i] * a[r * columns + i % columns];
            }
        }
        return product;
    }

    /** Relative to the norm of what is expected, which must not vanish. */
    private static double distance(float[] found, double[] expected) {
        double difference = 0;
        double norm = 0;
        for (int i = 0; i < expected.length; i++) {
            difference += Math.pow(found[i] - expected[i], 2);
            norm += expected[i] * expected[i];
        }
        assertThat(norm).isPositive();
        return Math.sqrt(difference / norm);
    }

    @Test
    void stepsChangeTheAdaptersAndNothingElse() {
        DecoderWeights weights = ModelInit.random(TinyModels.config(40, 64, true), new ModelInit.Scale(0.2, 0), 3);
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
