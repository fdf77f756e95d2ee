package dev.prpf.par.huggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.Outputs;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Tensors;
import dev.prpf.par.vision.ImageGolden;
import dev.prpf.par.vision.VisionConfig;
import dev.prpf.par.vision.VisionConfig.VisionFamily;
import dev.prpf.par.vision.VisionConfig.VisionTokens;
import dev.prpf.par.vision.VisionTower.VisionWeights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Directories of models with a vision tower. */
class VisionDirectoryTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path GOLDEN = ImageGolden.own().folder();
    private static final long[] IDS = {5, 9, 2, 30};
    private static final String BIAS = "model.visual.merger.linear_fc2.bias";

    @TempDir
    Path directory;

    @BeforeEach
    void copy() throws IOException {
        for (String name : new String[] {"config.json", "model.safetensors"}) {
            Files.copy(GOLDEN.resolve(name), directory.resolve(name));
        }
    }

    private HuggingFaceDirectory opened() {
        return HuggingFaceDirectory.open(directory);
    }

    private ObjectNode config() throws IOException {
        return (ObjectNode) JSON.readTree(directory.resolve("config.json").toFile());
    }

    private void edit(JsonNode root) throws IOException {
        JSON.writeValue(directory.resolve("config.json").toFile(), root);
    }

    private static void assertFails(ThrowingCallable call, ExitCode code, String... parts) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(code))
                .hasMessageContainingAll(parts);
    }

    private static Map<String, float[]> values(Path file) {
        Map<String, float[]> values = new HashMap<>();
        try (SafeTensors tensors = SafeTensors.open(file)) {
            tensors.entries().keySet().forEach(name -> values.put(name, tensors.floats(name)));
        }
        return values;
    }

    private static float[][] logits(HuggingFaceDirectory from) {
        try (CausalLm decoder = from.decoder(Precision.FP32)) {
            return Outputs.logits(decoder, IDS);
        }
    }

    @Test
    void visionEncoderAndItsTokensAreRead() {
        assertThat(opened().vision())
                .isEqualTo(new VisionConfig(1, 16, 16, 2, 4, 16, 64, 10_000, new VisionTokens(255, 254, 253, 252)));
    }

    @Test
    void trainedDecoderKeepsTheVisionEncoder(@TempDir Path other) throws IOException {
        Files.writeString(directory.resolve("preprocessor_config.json"), "{}");
        try (DecoderWeights weights = opened().weights(Precision.FP32)) {
            HuggingFaceDirectory.write(other, weights, directory);
        }

        HuggingFaceDirectory written = HuggingFaceDirectory.open(other);
        assertThat(written.vision()).isEqualTo(opened().vision());
        assertThat(written.config()).isEqualTo(opened().config());
        assertThat(written.visionSha256()).isEqualTo(opened().visionSha256());
        assertThat(other.resolve("preprocessor_config.json")).exists();
        Map<String, float[]> before = values(directory.resolve("model.safetensors"));
        Map<String, float[]> after = values(other.resolve("model.safetensors"));
        assertThat(after.keySet()).isEqualTo(before.keySet());
        before.forEach((name, values) -> assertThat(after.get(name)).as(name).isEqualTo(values));
        assertThat(logits(written)).isDeepEqualTo(logits(opened()));
    }

    /** Transformers saves text weights under model. and the vision encoder's under visual.; this program writes both under model.… */
    @Test
    void qwen25VlIsReadInPublishedNamesAndWrittenInThoseOfItsModules(@TempDir Path other) throws IOException {
        HuggingFaceDirectory published =
                HuggingFaceDirectory.open(ImageGolden.own("qwen2_5_vl").folder());
        VisionTokens tokens = new VisionTokens(255, 254, 253, 252);
        assertThat(published.vision())
                .isEqualTo(new VisionConfig(
                        VisionFamily.QWEN2_5_VL, 3, 16, 20, 2, 4, 0, 16, List.of(1), 64, 10_000, tokens));
        assertThat(values(published.path().resolve("model.safetensors")))
                .containsKeys("model.norm.weight", "visual.merger.ln_q.weight", "lm_head.weight");
        try (DecoderWeights weights = published.weights(Precision.FP32);
                VisionWeights vision = published.visionWeights(Precision.FP32)) {
            HuggingFaceDirectory.write(other, weights, vision, published.path());
        }

        HuggingFaceDirectory written = HuggingFaceDirectory.open(other);
        assertThat(values(other.resolve("model.safetensors")))
                .containsKeys("model.language_model.norm.weight", "model.visual.merger.ln_q.weight", "lm_head.weight");
        assertThat(written.config()).isEqualTo(published.config());
        assertThat(written.vision()).isEqualTo(published.vision());
        assertThat(written.visionSha256()).isEqualTo(published.visionSha256());
        assertThat(logits(written)).isDeepEqualTo(logits(published));
    }

    /** Transformers 4.52 and later save files of the older form with the decoder's keys also in the root. */
    @Test
    void repeatedKeysOfTheTextPartAreIgnoredInTheRoot() throws IOException {
        ObjectNode root = config();
        ObjectNode text = root.path("text_config").deepCopy();
        text.remove("model_type");
        root.setAll(text.put("hidden_size", 8));
        edit(root.put("tie_word_embeddings", false));
        assertThat(opened().config().hiddenSize()).isEqualTo(64);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    hidden_act            | "gelu"  | only "silu" is supported
                    spatial_patch_size    | 16      | only 4 is supported
                    window_size           | 7       | 0 or at least a token's side of 8
                    fullatt_block_indexes | [3]     | blocks of a depth of 3
                    """)
    void whatQwen25VlDoesNotHaveIsRefused(String key, String json, String rule) throws IOException {
        ObjectNode root = (ObjectNode) JSON.readTree(
                ImageGolden.own("qwen2_5_vl").folder().resolve("config.json").toFile());
        root.withObject("vision_config").set(key, JSON.readTree(json));
        edit(root);
        assertFails(() -> opened().vision(), ExitCode.BAD_DATA, "config.json", key, rule);
    }

    @Test
    void trainedVisionEncoderIsWritten(@TempDir Path other) throws IOException {
        try (DecoderWeights weights = opened().weights(Precision.FP32);
                VisionWeights vision = opened().visionWeights(Precision.FP32)) {
            vision.put(BIAS, Tensors.create(vision.manager(), new long[] {64}, new float[64]));
            HuggingFaceDirectory.write(other, weights, vision, directory);
        }

        assertThat(values(other.resolve("model.safetensors")).get(BIAS)).containsOnly(0);
        assertThat(HuggingFaceDirectory.open(other).visionSha256()).isNotEqualTo(opened().visionSha256());
    }

    @Test
    void checkpointWithoutVisionEncoderReadsOnlyText() throws IOException {
        float[][] text = logits(opened());
        Map<String, SafeTensors.Tensor> left = new HashMap<>();
        try (SafeTensors tensors = SafeTensors.open(GOLDEN.resolve("model.safetensors"))) {
            tensors.entries().forEach((name, entry) -> {
                if (!name.startsWith("model.visual.")) {
                    left.put(name, SafeTensors.Tensor.ofFloats(entry.shape(), tensors.floats(name)));
                }
            });
        }
        SafeTensors.write(directory.resolve("model.safetensors"), left, Map.of());

        assertThat(logits(opened())).isDeepEqualTo(text);
        assertFails(
                () -> opened().tower(Precision.FP32),
                ExitCode.BAD_DATA,
                "config.json describes a vision encoder (vision_config), but no tensor is named model.visual.",
                "download the whole checkpoint");
        assertFails(() -> opened().visionSha256(), ExitCode.BAD_DATA, "no tensor is named");
        assertFails(() -> opened().weights(Precision.FP32), ExitCode.BAD_DATA, "no tensor is named");
    }

    @Test
    void visionEncoderOfAnotherShapeIsRejected() throws IOException {
        ObjectNode root = config();
        root.withObject("vision_config").put("depth", 2);
        edit(root);
        assertFails(
                () -> opened().tower(Precision.FP32),
                ExitCode.BAD_DATA,
                "parameter model.visual.blocks.1.norm1.weight is missing");
        root.withObject("vision_config").put("depth", 1).put("intermediate_size", 32);
        edit(root);
        assertFails(
                () -> opened().tower(Precision.FP32),
                ExitCode.BAD_DATA,
                "mlp.linear_fc1.weight",
                "[16, 16]",
                "[32, 16]");
    }

    @Test
    void textModelWithImagesIsBadConfiguration() throws IOException {
        ObjectNode root = config();
        root.remove("vision_config");
        edit(root);
        assertThat(opened().vision()).isNull();
        assertFails(() -> opened().requiredVision("--images"), ExitCode.BAD_CONFIG, "--images: ", "is a text model");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    hidden_act               | "relu"                       | only "gelu_pytorch_tanh" is supported
                    spatial_merge_size       | 3                            | only 2 is supported
                    temporal_patch_size      | 1                            | only 2 is supported
                    in_channels              | 4                            | only 3 is supported
                    num_position_embeddings  | 15                           | a square number
                    num_heads                | 3                            | hidden_size
                    deepstack_visual_indexes | [1]                          | must be empty
                    rope_parameters          | {"rope_type":"yarn"}         | only "axial" is supported
                    rope_parameters          | {"rope_type":"axial","f":2}  | this key is not supported
                    window_size              | 112                          | this key is not supported
                    out_hidden_size          | 32                           | must be the decoder's hidden_size = 64
                    depth                    | "many"                       | must be a whole number
                    """)
    void whatIsNotUnderstoodIsRefusedByName(String key, String json, String rule) throws IOException {
        ObjectNode root = config();
        root.withObject("vision_config").set(key, JSON.readTree(json));
        edit(root);
        assertFails(() -> opened().vision(), ExitCode.BAD_DATA, "config.json", key, rule);
    }

    @Test
    void placeholderOutsideTheVocabularyIsRejected() throws IOException {
        edit(config().put("image_token_id", 256));
        assertFails(
                () -> opened().vision(), ExitCode.BAD_DATA, "image_token_id = 256: must be a token of the vocabulary");
    }
}
