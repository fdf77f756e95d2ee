package dev.prpf.par.training;

import static dev.prpf.par.training.TestDecoders.assertAlike;
import static dev.prpf.par.training.TestDecoders.gradients;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.Golden;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.grpo.GrpoPreset;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.training.PolicyGradient.ReferencePolicy;
import dev.prpf.par.training.TrainingConfig.ComputeSettings;
import dev.prpf.par.training.TrainingVision.BatchImages;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class DecoderPassTest {
    private static final ComputeSettings PLAIN = new ComputeSettings(Precision.FP32, false, false);

    private static List<SftExample> examples() {
        Random random = new Random(3);
        List<SftExample> examples = new ArrayList<>(SftLossTest.examples(9, 2));
        examples.add(new SftExample(
                random.longs(60, 0, 40).toArray(), random.longs(40, 0, 40).toArray()));
        return examples;
    }

    private static TrainableDecoder decoder(String family, boolean adapters) {
        dev.prpf.par.engine.DecoderWeights weights =
                HuggingFaceDirectory.open(Golden.folder(family)).weights(Precision.FP32);
        return adapters
                ? TestDecoders.adapted(
                        weights,
                        TestDecoders.filled(LoraAdapters.fresh(weights.config(), new LoraSettings(4, 8, null), 5), 0.1))
                : TrainableDecoder.full(weights);
    }

    static Stream<String> kinds() {
        return Stream.concat(Golden.decoders().stream(), Stream.of("llama+lora", "qwen3_5+lora", "qwen3_5+packing"));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void lossAndGradientsAreThoseOfThePlainPass(String kind) {
        String family = kind.split("\\+", -1)[0];
        boolean adapters = kind.endsWith("lora");
        boolean packing = kind.endsWith("packing");
        List<SftExample> examples = examples();
        long divisor = SftBatch.supervisedTokens(examples);
        try (TrainableDecoder plain = decoder(family, adapters);
                TrainableDecoder again = decoder(family, adapters)) {
            SftLoss.Part expected = new SftLoss(plain, PLAIN).backward(examples, divisor);
            SftLoss loss = new SftLoss(again, new ComputeSettings(Precision.FP32, packing, true));

            SftLoss.Part part = loss.backward(examples, divisor);

            assertThat(part.loss()).isCloseTo(expected.loss(), within(5e-5));
            assertThat(part.hits()).isEqualTo(expected.hits());
            assertThat(part.labels()).isEqualTo(expected.labels());
            assertAlike(gradients(again), gradients(plain));
            assertThat(loss.value(examples, divisor).loss()).isCloseTo(expected.loss(), within(5e-5));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"llama", "qwen3_5", "llama+lora"})
    void theGradientOfAPolicyIsThatOfThePlainPass(String kind) {
        String family = kind.split("\\+", -1)[0];
        boolean adapters = kind.endsWith("lora");
        List<PolicyGradient.ScoredResponse> responses = PolicyGradientTest.responses(examples(), 0);
        try (TrainableDecoder plain = decoder(family, adapters);
                TrainableDecoder again = decoder(family, adapters);
                TrainableDecoder other = decoder("llama", false)) {
            ReferencePolicy reference =
                    family.equals("llama") ? ReferencePolicy.owning(TestDecoders.frozen(other.weights())) : null;
            PolicyGradient.Part expected = gradient(plain, reference, false).backward(responses, 10);

            PolicyGradient.Part part = gradient(again, reference, true).backward(responses, 10);

            assertThat(part.metrics().loss()).isCloseTo(expected.metrics().loss(), within(5e-5));
            assertThat(Objects.requireNonNull(part.metrics().entropy()))
                    .isCloseTo(Objects.requireNonNull(expected.metrics().entropy()), within(1e-3));
            assertThat(part.mismatch().differences().getSum())
                    .isCloseTo(expected.mismatch().differences().getSum(), within(1e-3));
            assertAlike(gradients(again), gradients(plain));
            if (reference != null) {
                reference.close();
            }
        }
    }

    private static PolicyGradient gradient(
            TrainableDecoder policy,
            @org.jspecify.annotations.Nullable ReferencePolicy reference,
            boolean checkpointing) {
        GrpoPreset preset = reference == null ? GrpoPreset.TRL_DAPO : GrpoPreset.PRPF;
        ComputeSettings compute = new ComputeSettings(Precision.FP32, false, checkpointing);
        return new PolicyGradient(policy, reference, preset.settings(), compute, 0.8, null);
    }

    @Test
    void aChunkOfLogitsWithItsCopiesTakesAtMost512Megabytes() {
        DecoderConfig large = TinyModels.config(151_936, 64, true);
        assertThat(SftBatch.logitRows(large, SftMemory.LOGIT_BYTES, true)).isEqualTo(294);
        assertThat(SftBatch.logitRows(large, DecoderPass.SCORED_LOGIT_BYTES, true))
                .isEqualTo(147);
    }

    @Test
    void nextToFrozenWeightsLogitsTakeHalfOfTheirBytes() {
        assertThat(SftBatch.logitRows(TinyModels.published9B(), SftMemory.LOGIT_BYTES, false))
                .as("at most 512 MiB")
                .isEqualTo(180);
        DecoderConfig shape135 = TinyModels.shape135m();
        assertThat(SftBatch.logitRows(shape135, SftMemory.LOGIT_BYTES, false))
                .isEqualTo((int) (shape135.parameterCount() / SftMemory.LOGIT_BYTES / 49_152));
        assertThat(SftBatch.logitRows(TinyModels.config(151_936, 64, true), SftMemory.LOGIT_BYTES, false))
                .as("at least 64 MiB")
                .isEqualTo(36);
    }

    @ParameterizedTest
    @CsvSource({"1,true", "7,true", "1000,true", "7,false"})
    void theRowsOfLogitsMayComeInAnyPieces(int chunkSize, boolean checkpointing) {
        List<SftExample> examples = examples();
        long divisor = SftBatch.supervisedTokens(examples);
        try (TrainableDecoder plain = decoder("llama", false);
                TrainableDecoder again = decoder("llama", false);
                PtNDManager scratch = TorchRuntime.newManager()) {
            SftLoss.Part expected = new SftLoss(plain, PLAIN).backward(examples, divisor);
            DecoderPass pass =
                    new DecoderPass(again.passWeights(Precision.FP32), checkpointing, false, bytes -> chunkSize);
            SftBatch batch = SftBatch.of(scratch, examples, BatchImages.none(scratch));
            try (DecoderPass.Forward forward = pass.forward(scratch, batch, true)) {
                assertThat(forward.loss((double) divisor, 1).loss()).isCloseTo(expected.loss(), within(1e-5));
                forward.backward();
            }
            assertAlike(gradients(again), gradients(plain));
        }
    }
}
