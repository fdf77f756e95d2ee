package dev.prpf.par.huggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Outputs;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.engine.TinyModels;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
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
        try (CausalLm decoder = HuggingFaceDirectory.open(from).decoder(Precision.FP32)) {
            return Outputs.logits(decoder, IDS);
        }
    }

    private void edit(String file, String key, String json) throws IOException {
        Path path = directory.resolve(file);
        ObjectNode root = (ObjectNode) JSON.readTree(path.toFile());
        root.set(key, JSON.readTree(json));
        JSON.writeValue(path.toFile(), root);
    }

    private void assertRefused(String... parts) {
        assertThatThrownBy(() -> HuggingFaceDirectory.open(directory).decoder(Precision.FP32))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContainingAll(parts);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsWrittenIsReadBack(boolean tied) throws IOException {
        DecoderConfig config = write(tied);

        assertThat(HuggingFaceDirectory.open(directory).config()).isEqualTo(config);
        try (DecoderWeights fresh = ModelInit.random(config, 7);
                CausalLm decoder = CausalLm.of(fresh, Precision.FP32)) {
            assertThat(logits(directory)).isDeepEqualTo(Outputs.logits(decoder, IDS));
        }
        try (SafeTensors file = SafeTensors.open(directory.resolve("model.safetensors"))) {
            assertThat(file.entries().containsKey("lm_head.weight")).isEqualTo(!tied);
            assertThat(file.metadata()).containsEntry("format", "pt");
        }
    }

    @Test
    void tokenizerAndGenerationSettingsAreCopied(@TempDir Path other) throws IOException {
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
    void shardsAndFloatingTypesGiveTheSameModel() throws IOException {
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

    /** Base models saved by {@code AutoModel} lack the prefix; NumPy's default type is float64. */
    @Test
    void weights_withoutModelPrefixOrInFloat64_giveTheSameLogits() throws IOException {
        write(true);
        float[][] before = logits(directory);
        Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
        Path whole = directory.resolve("model.safetensors");
        try (SafeTensors file = SafeTensors.open(whole)) {
            for (String name : file.entries().keySet()) {
                boolean wide = name.contains("mlp");
                tensors.put(name.replaceFirst("^model\\.", ""), wide ? float64(file, name) : copy(file, name));
            }
        }
        assertThat(tensors).containsKeys("embed_tokens.weight", "layers.0.mlp.up_proj.weight", "norm.weight");
        SafeTensors.write(whole, tensors, Map.of());

        assertThat(logits(directory)).isDeepEqualTo(before);
    }

    private static SafeTensors.Tensor float64(SafeTensors file, String name) {
        float[] values = file.floats(name);
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (float value : values) {
            bytes.putDouble(value);
        }
        return new SafeTensors.Tensor("F64", file.entry(name).shape(), bytes.flip());
    }

    @Test
    void generationParametersOfTheConfigCountWithoutAFile() throws IOException {
        write(true);
        edit("config.json", "do_sample", "true");
        edit("config.json", "temperature", "0.7");
        assertThat(HuggingFaceDirectory.open(directory).generationDefaults().sampled())
                .isFalse();

        Files.delete(directory.resolve("generation_config.json"));

        GenerationDefaults defaults = HuggingFaceDirectory.open(directory).generationDefaults();
        assertThat(defaults.sampled()).isTrue();
        assertThat(defaults.sampling().temperature()).isEqualTo(0.7);
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
                    sliding_window          | 32
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
    void missingForeignOrMisshapenParameterIsNamed() throws IOException {
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
        assertThatThrownBy(() -> HuggingFaceDirectory.open(directory).decoder(Precision.FP32))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageContaining("config.json");
    }

    @Test
    void truncatedFileIsBadData() throws IOException {
        write(true);
        Path weights = directory.resolve("model.safetensors");
        byte[] bytes = Files.readAllBytes(weights);
        Files.write(weights, java.util.Arrays.copyOf(bytes, bytes.length / 2));

        assertRefused("model.safetensors");
    }

    @Test
    void tensorWithTooFewBytesIsBadData() throws IOException {
        write(true);
        Map<String, SafeTensors.Tensor> tensors = tensors();
        tensors.remove("model.norm.weight");
        tensors.put("model.norm.weight", SafeTensors.Tensor.ofFloats(new long[] {31}, new float[31]));
        Path whole = directory.resolve("model.safetensors");
        SafeTensors.write(whole, tensors, Map.of());
        String bytes = Files.readString(whole, StandardCharsets.ISO_8859_1);
        Files.writeString(whole, bytes.replace("\"shape\":[31]", "\"shape\":[32]"), StandardCharsets.ISO_8859_1);

        assertRefused("model.norm.weight", "128 bytes", "124");
    }

    private Map<String, SafeTensors.Tensor> tensors() {
        Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
        try (SafeTensors file = SafeTensors.open(directory.resolve("model.safetensors"))) {
            file.entries().keySet().forEach(name -> tensors.put(name, copy(file, name)));
        }
        return tensors;
    }

    @Test
    void savedTiedHeadMustEqualTheEmbedding() throws IOException {
        write(true);
        float[][] tied = logits(directory);
        Map<String, SafeTensors.Tensor> tensors = tensors();
        SafeTensors.Tensor embedding = Objects.requireNonNull(tensors.get("model.embed_tokens.weight"));
        tensors.put("lm_head.weight", embedding);
        SafeTensors.write(directory.resolve("model.safetensors"), tensors, Map.of());
        assertThat(logits(directory)).isDeepEqualTo(tied);

        float[] other = new float[(int) (embedding.shape()[0] * embedding.shape()[1])];
        other[3] = 1;
        tensors = tensors();
        tensors.put("lm_head.weight", SafeTensors.Tensor.ofFloats(embedding.shape(), other));
        SafeTensors.write(directory.resolve("model.safetensors"), tensors, Map.of());
        assertRefused(
                "model.safetensors: lm_head.weight is not model.embed_tokens.weight",
                "tie_word_embeddings = true; set it to false");

        edit("config.json", "tie_word_embeddings", "false");
        assertThat(logits(directory)).isNotEqualTo(tied);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {"weight_map":["a"]}                               | weight_map must be an object
                    {"weight_map":{}}                                  | weight_map must be an object
                    {}                                                 | weight_map must be an object
                    {"weight_map":{"lm_head.weight":3}}                | lm_head.weight is in 3, which is not a file
                    {"weight_map":{"lm_head.weight":"a\\u0000b"}}    | which is not a file
                    {"weight_map":{"lm_head.weight":"../x"}}           | "../x", which is not a file of this directory
                    {"weight_map":{"lm_head.weight":"x.safetensors"}}  | "x.safetensors", which is missing
                    {"weight_map":{}} {}                               | cannot be read as JSON: line 1, column 19: Trailing token
                    """)
    void aBrokenIndexIsRefusedByName(String index, String message) throws IOException {
        write(true);
        Files.delete(directory.resolve("model.safetensors"));
        Files.writeString(directory.resolve("model.safetensors.index.json"), index);

        assertRefused("model.safetensors.index.json: ", message);
    }

    @Test
    void shardMustBeInsideOfTheModel() {
        for (String here :
                List.of(".", "", "./.", "../" + Path.of("").toAbsolutePath().getFileName())) {
            assertThat(WeightFiles.within(Path.of(here), "model-00001-of-00002.safetensors"))
                    .as("--reasoner \"%s\"", here)
                    .isEqualTo(Path.of("model-00001-of-00002.safetensors").toAbsolutePath());
            assertThat(WeightFiles.within(Path.of(here), "../model.safetensors"))
                    .isNull();
            assertThat(WeightFiles.within(Path.of(here), "shards/model.safetensors"))
                    .isNull();
        }
    }

    @Test
    void aTensorOfAnotherTypeNamesTheFile() throws IOException {
        write(true);
        Map<String, SafeTensors.Tensor> tensors = tensors();
        tensors.put(
                "model.norm.weight",
                new SafeTensors.Tensor("I64", new long[] {32}, ByteBuffer.allocate(32 * Long.BYTES)));
        SafeTensors.write(directory.resolve("model.safetensors"), tensors, Map.of());

        assertRefused("model.safetensors: tensor model.norm.weight is I64; weights must be F64, F32, BF16 or F16");
    }

    @Test
    void weightsThatAreNotFiniteAreRefused() throws IOException {
        write(true);
        Map<String, SafeTensors.Tensor> tensors = tensors();
        for (float value : new float[] {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY}) {
            float[] broken = new float[32];
            broken[17] = value;
            tensors.put("model.norm.weight", SafeTensors.Tensor.ofFloats(new long[] {32}, broken));
            SafeTensors.write(directory.resolve("model.safetensors"), tensors, Map.of());
            assertRefused("model.safetensors: tensor model.norm.weight has a value that is NaN or infinite; the weights"
                    + " are broken, copy or train the model again");
        }
    }

    @Test
    void nonFiniteLogitsAreRejected() throws IOException {
        write(true);
        Map<String, SafeTensors.Tensor> tensors = tensors();
        float[] large = new float[32];
        Arrays.fill(large, Float.MAX_VALUE);
        tensors.put("model.norm.weight", SafeTensors.Tensor.ofFloats(new long[] {32}, large));
        SafeTensors.write(directory.resolve("model.safetensors"), tensors, Map.of());

        try (CausalLm decoder = HuggingFaceDirectory.open(directory).decoder(Precision.FP32)) {
            assertThatThrownBy(() -> decoder.logits(Prompt.ofText(IDS), taken -> {
                        throw new AssertionError("handed over");
                    }))
                    .isInstanceOf(PrpfException.class)
                    .hasMessageContaining("logits are NaN");
        }
    }

    @Test
    void endTokensOutsideTheVocabularyAreIgnored() throws IOException {
        write(true);
        edit("generation_config.json", "eos_token_id", "[99999]");
        HuggingFaceDirectory model = HuggingFaceDirectory.open(directory);
        assertThatThrownBy(model::requiredEndTokens)
                .hasMessageContaining(
                        "names the end tokens [99999] in a vocabulary of 40, so no response would ever end");

        edit("generation_config.json", "eos_token_id", "[99999,7]");
        assertThat(model.requiredEndTokens()).containsExactly(99999, 7);
    }

    /** A directory with changed characters in its index is read or rejected as bad data. */
    @Test
    void changedCharactersOfAnIndexAreReadOrRejected() throws IOException {
        write(true);
        StringBuilder index = new StringBuilder("{\"metadata\":{},\"weight_map\":{");
        tensors().keySet().forEach(name -> index.append('"').append(name).append("\":\"w.safetensors\","));
        String whole = index.substring(0, index.length() - 1) + "}}";
        Files.move(directory.resolve("model.safetensors"), directory.resolve("w.safetensors"));
        Random random = new Random(5);
        int refused = 0;
        for (int i = 0; i < 3_000; i++) {
            StringBuilder text = new StringBuilder(whole);
            text.setCharAt(random.nextInt(text.length()), (char) random.nextInt(128));
            Files.writeString(directory.resolve("model.safetensors.index.json"), text);
            try {
                WeightFiles.of(directory).refuseUnknown(TinyModels.config(40, 64, true));
            } catch (PrpfException e) {
                assertThat(ExitCode.of(e)).as("%s", text).isEqualTo(ExitCode.BAD_DATA);
                refused++;
            }
        }
        assertThat(refused).isBetween(1_000, 2_999);
    }

    @Test
    void checksumDistinguishesModels() throws IOException {
        write(true);
        String before = HuggingFaceDirectory.open(directory).sha256();
        assertThat(HuggingFaceDirectory.open(directory).sha256()).isEqualTo(before);

        edit("config.json", "rope_theta", "5.0");
        assertThat(HuggingFaceDirectory.open(directory).sha256()).isNotEqualTo(before);
    }
}
