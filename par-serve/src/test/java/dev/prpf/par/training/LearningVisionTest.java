package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.djl.pytorch.engine.PtNDArray;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.image.VisionProcessor.VisionPatches;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.Golden;
import dev.prpf.par.engine.ImageFeatures;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import dev.prpf.par.engine.Outputs;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.grpo.GrpoPreset;
import dev.prpf.par.grpo.GrpoSettings;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.reward.Terms;
import dev.prpf.par.rollout.Rollout;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.training.TrainingConfig.ComputeSettings;
import dev.prpf.par.training.TrainingConfig.TrainVision;
import dev.prpf.par.vision.FakeVisionEncoder;
import dev.prpf.par.vision.VisionConfig;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LearningVisionTest {
    private static final Path OURS = Golden.folder("qwen3_5_vl");
    private static final ComputeSettings PLAIN = new ComputeSettings(Precision.FP32, false, false);

    /** The output of {@code make_vision_gradients.py} for a folder. */
    private record Expected(Path folder, JsonNode made) {
        static Expected of(String name) throws IOException {
            String family = name.endsWith("qwen2_5_vl") ? "qwen2_5_vl" : "qwen3_5_vl";
            Optional<Path> folder =
                    name.startsWith("ours") ? Optional.of(Golden.folder(family)) : Golden.larger(family);
            assumeTrue(folder.isPresent(), "PRPF_GOLDEN names no folder with " + family);
            try (InputStream in =
                    Objects.requireNonNull(LearningVisionTest.class.getResourceAsStream("vision_gradients.json"))) {
                return new Expected(
                        folder.get(), new ObjectMapper().readTree(in).path(name));
            }
        }

        SafeTensors golden() {
            Path own = folder.resolve("pictures.safetensors");
            return SafeTensors.open(Files.exists(own) ? own : folder.resolve("golden.safetensors"));
        }

        VisionImage image(int i) {
            try (SafeTensors golden = golden()) {
                long[] grid = Golden.ids(golden, "picture" + i + ".grid_thw");
                return new VisionImage(
                        ImageFile.of(Path.of(i + ".png")),
                        String.valueOf(i),
                        new ImageGrid((int) grid[1] / VisionConfig.MERGE, (int) grid[2] / VisionConfig.MERGE));
            }
        }

        VisionPatches patches(VisionImage image) {
            try (SafeTensors golden = golden()) {
                FloatBuffer values =
                        golden.map("picture" + image.key() + ".pixel_values").asFloatBuffer();
                float[] copy = new float[values.remaining()];
                values.get(copy);
                return new VisionPatches(
                        copy,
                        image.grid().rows() * VisionConfig.MERGE,
                        image.grid().columns() * VisionConfig.MERGE);
            }
        }

        List<SftExample> examples() {
            List<SftExample> examples = new ArrayList<>();
            try (SafeTensors golden = golden()) {
                for (String name : List.of("one", "two")) {
                    long[] ids = Golden.ids(golden, name + ".input_ids");
                    int prompt = ids.length - made.at("/responses/" + name).intValue();
                    List<VisionImage> images = name.equals("one") ? List.of(image(0)) : List.of(image(1), image(2));
                    examples.add(new SftExample(
                            Arrays.copyOf(ids, prompt), Arrays.copyOfRange(ids, prompt, ids.length), images));
                }
            }
            return examples;
        }

        LearningVision vision(TrainVision learns) {
            LearningVision.Start start = new LearningVision.Start(new FakeVisionEncoder(64), this::patches);
            LearningVision vision = new LearningVision(folder, start, learns, Precision.FP32);
            vision.open(null);
            return vision;
        }

        TrainableDecoder decoder(TrainVision learns, boolean adapters) {
            DecoderWeights weights = HuggingFaceDirectory.open(folder).weights(Precision.FP32);
            LoraAdapters learning =
                    adapters ? LoraAdapters.fresh(weights.config(), new LoraSettings(4, 8, null), 5) : null;
            return TestDecoders.of(weights, learning, vision(learns));
        }
    }

    private static Map<String, Double> norms(TrainableDecoder decoder) {
        Map<String, Double> norms = new LinkedHashMap<>();
        decoder.parameters().forEach((name, array) -> {
            double sum = 0;
            try (PtNDArray gradient = array.getGradient()) {
                for (float value : gradient.toFloatArray()) {
                    sum += (double) value * value;
                }
            }
            norms.put(name.replaceFirst("^model\\.(?!visual)", "model.language_model."), Math.sqrt(sum));
        });
        return norms;
    }

    private static void assertNorms(TrainableDecoder decoder, JsonNode expected) {
        norms(decoder).forEach((name, norm) -> assertThat(norm)
                .as(name)
                .isCloseTo(expected.path(name).asDouble(), within(3e-4 * Math.max(1, norm))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ours", "shared", "ours-qwen2_5_vl", "shared-qwen2_5_vl"})
    void lossAndGradientNormsEqualTransformers(String name) throws IOException {
        Expected expected = Expected.of(name);
        for (boolean checkpointing : new boolean[] {false, true}) {
            try (TrainableDecoder decoder = expected.decoder(TrainVision.ALL, false)) {
                List<SftExample> examples = expected.examples();
                SftLoss loss = new SftLoss(decoder, new ComputeSettings(Precision.FP32, checkpointing, checkpointing));
                SftLoss.Part part = loss.backward(examples, SftBatch.supervisedTokens(examples));
                assertThat(part.loss()).isCloseTo(expected.made().path("loss").asDouble(), within(1e-4));
                JsonNode norms = expected.made().path("grad_norms");
                assertThat(norms(decoder).keySet()).hasSameSizeAs(norms.properties());
                assertNorms(decoder, norms);
            }
        }
    }

    /** Clipped ratios to given log-probabilities of the old policy, at a temperature. */
    @ParameterizedTest
    @ValueSource(strings = {"ours", "shared", "ours-qwen2_5_vl", "shared-qwen2_5_vl"})
    void grpoLossAndGradientNormsEqualTransformers(String name) throws IOException {
        Expected expected = Expected.of(name);
        JsonNode made = expected.made().path("grpo");
        GrpoSettings objective = GrpoPreset.TRL_DAPO.settings();
        for (boolean checkpointing : new boolean[] {false, true}) {
            try (TrainableDecoder decoder = expected.decoder(TrainVision.ALL, false)) {
                ComputeSettings compute = new ComputeSettings(Precision.FP32, false, checkpointing);
                PolicyGradient gradient = new PolicyGradient(
                        decoder,
                        null,
                        objective,
                        compute,
                        made.path("temperature").asDouble(),
                        null);
                PolicyGradient.Part part = gradient.backward(
                        responses(expected, made), (double) SftBatch.supervisedTokens(expected.examples()));
                assertThat(part.metrics().loss()).isCloseTo(made.path("loss").asDouble(), within(1e-4));
                assertNorms(decoder, made.path("grad_norms"));
            }
        }
    }

    private static List<PolicyGradient.ScoredResponse> responses(Expected expected, JsonNode made) {
        List<PolicyGradient.ScoredResponse> responses = new ArrayList<>();
        for (SftExample example : expected.examples()) {
            String name = responses.isEmpty() ? "one" : "two";
            float[] old = new float[example.response().length];
            for (int t = 0; t < old.length; t++) {
                old[t] = (float) made.path("old").path(name).path(t).asDouble();
            }
            Rollout.Reward reward = new Rollout.Reward(0, Terms.of(0, 0, 0, 0, 0, 0, 0, 0), null, 0, 0, 0);
            responses.add(new PolicyGradient.ScoredResponse(
                    example,
                    new Rollout(example.response(), old, FinishReason.END_TOKEN, "", reward),
                    made.path("advantages").path(name).asDouble(),
                    old));
        }
        return responses;
    }

    /** Initial adapters change nothing, so the vision encoder's gradient equals that of full training. */
    @ParameterizedTest
    @CsvSource({
        "ours,false,false",
        "ours,false,true",
        "ours,true,false",
        "ours,true,true",
        "ours-qwen2_5_vl,false,true",
        "ours-qwen2_5_vl,true,false"
    })
    void theMergerLearnsAlone(String name, boolean adapters, boolean checkpointing) throws IOException {
        Expected expected = Expected.of(name);
        try (TrainableDecoder decoder = expected.decoder(TrainVision.MERGER, adapters)) {
            assertThat(decoder.parameters().keySet().stream()
                            .filter(parameter -> parameter.startsWith(VisionConfig.PREFIX)))
                    .hasSize(name.equals("ours") ? 6 : 5)
                    .allMatch(VisionConfig::ofMerger);
            List<SftExample> examples = expected.examples();
            new SftLoss(decoder, new ComputeSettings(Precision.FP32, false, checkpointing))
                    .backward(examples, SftBatch.supervisedTokens(examples));
            norms(decoder).forEach((parameter, norm) -> {
                if (parameter.startsWith(VisionConfig.PREFIX)) {
                    double other =
                            expected.made().path("grad_norms").path(parameter).asDouble();
                    assertThat(norm).as(parameter).isCloseTo(other, within(3e-4 * Math.max(1, norm)));
                }
            });
        }
    }

    /** Along its gradient a loss rises by the gradient's norm. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "patch_embed.proj.weight",
                "pos_embed.weight",
                "blocks.0.attn.qkv.weight",
                "merger.norm.weight",
                "merger.linear_fc2.weight"
            })
    void gradientsAreThoseOfFiniteDifferences(String parameter) throws IOException {
        Expected expected = Expected.of("ours");
        List<SftExample> examples = expected.examples();
        try (TrainableDecoder decoder = expected.decoder(TrainVision.ALL, false)) {
            SftLoss loss = new SftLoss(decoder, PLAIN);
            loss.backward(examples, 1);
            PtNDArray array = Objects.requireNonNull(decoder.parameters().get(VisionConfig.PREFIX + parameter));
            float[] gradient;
            try (PtNDArray found = array.getGradient()) {
                gradient = found.toFloatArray();
            }
            double norm = Objects.requireNonNull(norms(decoder).get(VisionConfig.PREFIX + parameter));
            double step = 2e-3;
            double[] losses = new double[2];
            float[] before = array.toFloatArray();
            for (int side = 0; side < 2; side++) {
                float[] moved = before.clone();
                for (int i = 0; i < moved.length; i++) {
                    moved[i] += (float) ((2 * side - 1) * step * gradient[i] / norm);
                }
                Outputs.overwrite(array, moved);
                losses[side] = loss.value(examples, 1).loss();
            }
            assertThat((losses[1] - losses[0]) / (2 * step)).isCloseTo(norm, within(0.03 * norm));
        }
    }

    @Test
    void whatTheTowerGivesIsTransformers() throws IOException {
        Expected expected = Expected.of("ours");
        try (LearningVision vision = expected.vision(TrainVision.MERGER);
                SafeTensors golden = expected.golden()) {
            List<ImageFeatures> found = vision.features(List.of(expected.image(2), expected.image(0)));
            for (int i = 0; i < 2; i++) {
                FloatBuffer embeds =
                        golden.map("picture" + (2 - 2 * i) + ".embeds").asFloatBuffer();
                for (float value : found.get(i).values()) {
                    assertThat(value).isCloseTo(embeds.get(), within(1e-4f));
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"MERGER", "ALL"})
    void aCheckpointHoldsWhatLearned(TrainVision learns, @TempDir Path checkpoint) throws IOException {
        Expected expected = Expected.of("ours");
        try (LearningVision vision = expected.vision(learns);
                LearningVision again = expected.vision(learns)) {
            Map<String, float[]> learned = new LinkedHashMap<>();
            vision.parameters().forEach((name, array) -> {
                float[] values = array.toFloatArray();
                for (int i = 0; i < values.length; i++) {
                    values[i] += 1;
                }
                Outputs.overwrite(array, values);
                learned.put(name, values);
            });
            vision.save(checkpoint);
            again.open(checkpoint);
            assertThat(again.parameters().keySet()).isEqualTo(learned.keySet());
            again.weights().arrays().forEach((name, array) -> assertThat(array.toFloatArray())
                    .as(name)
                    .isEqualTo(Objects.requireNonNull(vision.weights().arrays().get(name))
                            .toFloatArray()));
        }
    }

    /** Two examples share an image, like all responses to one prompt. */
    @ParameterizedTest
    @CsvSource({"MERGER", "ALL"})
    void anImageThatIsShownTwiceIsSeenOnceAndLearnsFromBoth(TrainVision learns) throws IOException {
        Expected expected = Expected.of("ours");
        SftExample one = expected.examples().get(0);
        SftExample two = expected.examples().get(1);
        List<VisionImage> seen = new ArrayList<>();
        Map<String, Double> together = gradients(expected, learns, seen, List.of(List.of(one, two, one)));
        assertThat(seen).doesNotHaveDuplicates().hasSize(3);
        Map<String, Double> apart = gradients(expected, learns, seen, List.of(List.of(one, two), List.of(one)));
        together.forEach((name, norm) -> assertThat(norm)
                .as(name)
                .isCloseTo(Objects.requireNonNull(apart.get(name)), within(1e-3 * Math.max(1, norm))));
    }

    /** Norms of what the batches' gradients add up to. */
    private static Map<String, Double> gradients(
            Expected expected, TrainVision learns, List<VisionImage> seen, List<List<SftExample>> batches) {
        DecoderWeights weights = HuggingFaceDirectory.open(OURS).weights(Precision.FP32);
        LearningVision.Start start = new LearningVision.Start(new FakeVisionEncoder(64), image -> {
            seen.add(image);
            return expected.patches(image);
        });
        LearningVision vision = new LearningVision(OURS, start, learns, Precision.FP32);
        vision.open(null);
        try (TrainableDecoder decoder = TrainableDecoder.full(weights, vision)) {
            SftLoss loss = new SftLoss(decoder, PLAIN);
            batches.forEach(batch -> loss.backward(batch, 10));
            return norms(decoder);
        }
    }

    @Test
    void aFrozenTowerIsNoneOfThese() {
        LearningVision.Start start = new LearningVision.Start(new FakeVisionEncoder(4), image -> {
            throw new IllegalStateException("not seen");
        });
        assertThatThrownBy(() -> new LearningVision(OURS, start, TrainVision.NONE, Precision.FP32))
                .hasMessageContaining("is frozen");
    }
}
