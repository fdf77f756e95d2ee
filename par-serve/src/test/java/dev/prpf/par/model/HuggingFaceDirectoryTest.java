package dev.prpf.par.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.io.SafeTensors;
import dev.prpf.data.run.ExitCode;
import dev.prpf.data.run.PrpfException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HuggingFaceDirectoryTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long[] IDS = {5, 9, 2, 30};

    @TempDir
    Path directory;

    private DecoderConfig write(boolean tied) throws IOException {
        DecoderConfig config = TinyModels.config(40, 64, tied);
        try (DecoderWeights weights = ModelInit.random(config, 7)) {
            HuggingFaceDirectory.write(directory, weights, null);
        }
        return config;
    }

    private float[][] logits(Path from) {
        try (Decoder decoder = Decoder.load(from, Precision.FP32)) {
            return decoder.logits(IDS);
        }
    }

    private void edit(String file, String key, String json) throws IOException {
        Path path = directory.resolve(file);
        ObjectNode root = (ObjectNode) JSON.readTree(path.toFile());
        root.set(key, JSON.readTree(json));
        JSON.writeValue(path.toFile(), root);
    }

    private void assertRefused(String... parts) {
        assertThatThrownBy(() -> Decoder.load(directory, Precision.FP32))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContainingAll(parts);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsWrittenIsReadBack(boolean tied) throws IOException {
        DecoderConfig config = write(tied);

        assertThat(HuggingFaceDirectory.open(directory).config()).isEqualTo(config);
        try (DecoderWeights fresh = ModelInit.random(config, 7);
                Decoder decoder = Decoder.of(fresh, Precision.FP32)) {
            assertThat(logits(directory)).isDeepEqualTo(decoder.logits(IDS));
        }
        try (SafeTensors file = SafeTensors.open(directory.resolve("model.safetensors"))) {
            assertThat(file.entries().containsKey("lm_head.weight")).isEqualTo(!tied);
            assertThat(file.metadata()).containsEntry("format", "pt");
        }
    }

    @Test
    void theTokenizerAndTheGenerationSettingsAreCarriedAlong(@TempDir Path other) throws IOException {
        write(true);
        Files.writeString(directory.resolve("tokenizer.json"), "{\"version\":\"1.0\"}");
        Files.writeString(directory.resolve("generation_config.json"), "{\"eos_token_id\":[2,3],\"do_sample\":true}");
        try (DecoderWeights weights = HuggingFaceDirectory.open(directory).weights(Precision.FP32)) {
            HuggingFaceDirectory.write(other, weights, directory);
        }

        assertThat(other.resolve("tokenizer.json")).hasSameTextualContentAs(directory.resolve("tokenizer.json"));
        GenerationDefaults defaults = HuggingFaceDirectory.open(other).generationDefaults();
        assertThat(defaults.sampled()).isTrue();
        assertThat(defaults.endTokens()).containsExactly(2, 3);
    }

    @Test
    void shardsAndAnyFloatingTypeGiveTheSameModel() throws IOException {
        write(false);
        float[][] before = logits(directory);
        Map<String, SafeTensors.Tensor> first = new LinkedHashMap<>();
        Map<String, SafeTensors.Tensor> second = new LinkedHashMap<>();
        ObjectNode index = JSON.createObjectNode();
        ObjectNode map = index.putObject("weight_map");
        Path whole = directory.resolve("model.safetensors");
        try (SafeTensors file = SafeTensors.open(whole)) {
            for (String name : file.entries().keySet()) {
                boolean half = name.endsWith("layernorm.weight");
                SafeTensors.Tensor tensor = half ? bfloat16(file, name) : copy(file, name);
                (half ? first : second).put(name, tensor);
                map.put(name, half ? "a.safetensors" : "b.safetensors");
            }
        }
        SafeTensors.write(directory.resolve("a.safetensors"), first, Map.of());
        SafeTensors.write(directory.resolve("b.safetensors"), second, Map.of());
        JSON.writeValue(directory.resolve("model.safetensors.index.json").toFile(), index);
        Files.delete(whole);

        assertThat(logits(directory)).isDeepEqualTo(before);
    }

    private static SafeTensors.Tensor copy(SafeTensors file, String name) {
        return SafeTensors.Tensor.ofFloats(file.entry(name).shape(), file.floats(name));
    }

    /** Exact for the ones of an untrained norm. */
    private static SafeTensors.Tensor bfloat16(SafeTensors file, String name) {
        float[] values = file.floats(name);
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Short.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (float value : values) {
            bytes.putShort((short) (Float.floatToRawIntBits(value) >>> 16));
        }
        return new SafeTensors.Tensor("BF16", file.entry(name).shape(), bytes.flip());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    model_type              | "mixtral"
                    hidden_act              | "gelu"
                    attention_bias          | true
                    mlp_bias                | true
                    rope_scaling            | {"type":"dynamic","factor":2.0}
                    rope_parameters         | {"rope_type":"longrope","rope_theta":10000.0}
                    sliding_window          | 128
                    num_key_value_heads     | 3
                    vocab_size              | "many"
                    pretraining_tp          | 2
                    quantization_config     | {"bits":4}
                    """)
    void whatIsNotUnderstoodIsRefusedByName(String key, String json) throws IOException {
        write(true);
        edit("config.json", key, json);

        assertRefused("config.json", key);
    }

    @Test
    void olderFormsOfTheConfigurationAreRead() throws IOException {
        DecoderConfig config = write(true);
        edit("config.json", "rope_parameters", "null");
        edit("config.json", "rope_theta", "5000.0");
        edit("config.json", "rope_scaling", "null");
        edit("config.json", "torch_dtype", "\"float32\"");
        edit("config.json", "eos_token_id", "[2,4]");
        ObjectNode root =
                (ObjectNode) JSON.readTree(directory.resolve("config.json").toFile());
        root.remove(java.util.List.of("head_dim"));
        JSON.writeValue(directory.resolve("config.json").toFile(), root);

        DecoderConfig read = HuggingFaceDirectory.open(directory).config();

        assertThat(read.attention().ropeTheta()).isEqualTo(5000.0);
        assertThat(read.attention().headDim()).isEqualTo(config.attention().headDim());
        assertThat(read.tokens().end()).containsExactly(2, 4);
    }

    @Test
    void aParameterThatIsMissingForeignOrOfAnotherShapeIsNamed() throws IOException {
        write(true);
        edit("config.json", "intermediate_size", "64");
        assertRefused("mlp.gate_proj.weight", "[48, 32]", "[64, 32]");

        write(true);
        edit("config.json", "num_hidden_layers", "3");
        assertRefused("model.layers.2.input_layernorm.weight is missing");

        write(true);
        edit("config.json", "num_hidden_layers", "1");
        assertRefused("model.layers.1.", "9 in all");
    }

    @Test
    void aDirectoryWithoutAModelIsUnavailable() {
        assertThatThrownBy(() -> Decoder.load(directory, Precision.FP32))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageContaining("config.json");
    }

    @Test
    void aFileCutOffIsBadData() throws IOException {
        write(true);
        Path weights = directory.resolve("model.safetensors");
        byte[] bytes = Files.readAllBytes(weights);
        Files.write(weights, java.util.Arrays.copyOf(bytes, bytes.length / 2));

        assertRefused("model.safetensors");
    }

    @Test
    void aTensorWhoseBytesDoNotFillItsShapeIsBadData() throws IOException {
        write(true);
        Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
        Path whole = directory.resolve("model.safetensors");
        try (SafeTensors file = SafeTensors.open(whole)) {
            file.entries().keySet().forEach(name -> tensors.put(name, copy(file, name)));
        }
        tensors.put("model.norm.weight", SafeTensors.Tensor.ofFloats(new long[] {32}, new float[31]));
        SafeTensors.write(whole, tensors, Map.of());

        assertRefused("model.norm.weight", "128 bytes", "124");
    }

    @Test
    void theSumTellsModelsApart() throws IOException {
        write(true);
        String before = HuggingFaceDirectory.open(directory).sha256();
        assertThat(HuggingFaceDirectory.open(directory).sha256()).isEqualTo(before);

        edit("config.json", "rope_theta", "5.0");
        assertThat(HuggingFaceDirectory.open(directory).sha256()).isNotEqualTo(before);
    }
}
