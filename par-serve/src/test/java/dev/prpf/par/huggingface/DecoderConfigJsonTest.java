package dev.prpf.par.huggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderConfig.Mixer;
import dev.prpf.par.engine.DecoderConfig.SpecialTokens;
import dev.prpf.par.engine.DecoderFamily;
import dev.prpf.par.engine.DeltaNetShape;
import dev.prpf.par.engine.RotaryScaling;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class DecoderConfigJsonTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MUTATIONS = 10_000;
    private static final String ALPHABET = "0123456789-+.eE[]{},:\"abcdefgnrstu_ ";

    private static DecoderConfig config(DecoderFamily family) {
        boolean mixed = family == DecoderFamily.QWEN3_5;
        Mixer.Kind linear = Mixer.Kind.LINEAR_ATTENTION;
        return new DecoderConfig(
                family,
                100,
                64,
                96,
                mixed ? List.of(linear, Mixer.Kind.FULL_ATTENTION, linear) : DecoderConfig.fullAttention(3),
                new AttentionShape(4, 2, 32, mixed ? 8 : 32, 1e6, RotaryScaling.none()),
                mixed ? new DeltaNetShape(2, 4, 16, 24, 4) : null,
                4096,
                1e-6,
                true,
                new SpecialTokens(1, List.of(2, 3), null));
    }

    private static DecoderConfig read(JsonNode root) {
        return DecoderConfigJson.read("config.json", root);
    }

    @ParameterizedTest
    @EnumSource(DecoderFamily.class)
    void whatIsWrittenIsRead(DecoderFamily family) {
        DecoderConfig config = config(family);
        assertThat(read(DecoderConfigWriter.write(config, "float32"))).isEqualTo(config);
    }

    private static String letter(Mixer.Kind kind) {
        return kind.name().substring(0, 1);
    }

    @Test
    void everyFourthLayerIsFullAttentionWithoutListedTypes() {
        ObjectNode root = DecoderConfigWriter.write(config(DecoderFamily.QWEN3_5), "float32");
        root.put("num_hidden_layers", 9).remove("layer_types");
        assertThat(read(root).layerKinds())
                .extracting(DecoderConfigJsonTest::letter)
                .containsExactly("L", "L", "L", "F", "L", "L", "L", "F", "L");

        root.put("full_attention_interval", 2);
        assertThat(read(root).layerKinds())
                .extracting(DecoderConfigJsonTest::letter)
                .containsExactly("L", "F", "L", "F", "L", "F", "L", "F", "L");
    }

    @Test
    void theTextPartOfAVisionLanguageModelIsReadAndTheOuterTieCounts() {
        ObjectNode text = DecoderConfigWriter.write(config(DecoderFamily.QWEN3_5), "float32");
        ObjectNode root = JSON.createObjectNode();
        root.put("model_type", "qwen3_5").put("image_token_id", 99).put("tie_word_embeddings", false);
        root.set("text_config", text);
        root.putObject("vision_config").put("depth", 2);

        DecoderConfig read = read(root);

        assertThat(read.tiedEmbeddings()).isFalse();
        assertThat(read.deltaNet()).isEqualTo(config(DecoderFamily.QWEN3_5).deltaNet());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    QWEN3_5 | layer_types            | ["linear_attention","mamba","full_attention"] | mamba
                    QWEN3_5 | layer_types            | ["full_attention"]                 | num_hidden_layers = 3
                    QWEN3_5 | attn_output_gate       | false                              | must be true
                    QWEN3   | attn_output_gate       | true                               | must be false
                    QWEN3_5 | mamba_ssm_dtype        | "bfloat16"                         | float32
                    QWEN3_5 | linear_num_value_heads | 3                                  | multiple of linear_num_key_heads
                    QWEN3_5 | linear_conv_kernel_dim | 1                                  | at least 2
                    QWEN3_5 | linear_key_head_dim    | null                               | whole number
                    QWEN3_5 | rope_parameters        | {"rope_theta":1e6,"partial_rotary_factor":0.01} | partial_rotary_factor
                    QWEN3_5 | rope_parameters        | {"rope_type":"longrope"}           | only "default", "linear", "llama3" and "yarn"
                    QWEN3   | layer_types            | ["linear_attention","full_attention","full_attention"] | layer_types
                    QWEN3   | partial_rotary_factor  | 0.5                                | partial_rotary_factor
                    QWEN3   | use_sliding_window     | true                               | use_sliding_window
                    QWEN3   | num_experts            | 8                                  | not supported
                    QWEN2   | num_hidden_layers      | 2000000000                         | from 1 to 4096
                    QWEN2   | head_dim               | 31                                 | even
                    LLAMA   | tie_word_embeddings    | "yes"                              | true or false
                    LLAMA   | head_dim               | 2147483646                         | overflow
                    """)
    void whatIsNotUnderstoodIsRefusedByName(DecoderFamily family, String key, String json, String rule)
            throws JsonProcessingException {
        ObjectNode root = DecoderConfigWriter.write(config(family), "float32");
        root.set(key, JSON.readTree(json));

        assertThatThrownBy(() -> read(root))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContainingAll("config.json", rule);
    }

    @Test
    void unusedSlidingWindowIsIgnored() throws JsonProcessingException {
        ObjectNode root = DecoderConfigWriter.write(config(DecoderFamily.QWEN2), "float32");
        root.put("sliding_window", 1024).put("use_sliding_window", false);
        assertThat(read(root)).isEqualTo(config(DecoderFamily.QWEN2));
        root.put("use_sliding_window", true).put("max_window_layers", 3);
        assertThat(read(root)).as("no layer has it").isEqualTo(config(DecoderFamily.QWEN2));
        root.put("sliding_window", 4096).put("max_window_layers", 2);
        assertThat(read(root)).as("it holds all positions").isEqualTo(config(DecoderFamily.QWEN2));

        root.put("sliding_window", 1024);
        assertThatThrownBy(() -> read(root)).hasMessageContaining("sliding_window = 1024");
    }

    /** Generation parameters, generic attributes, private ones, settings of training, and values that change nothing. */
    @ParameterizedTest
    @EnumSource(DecoderFamily.class)
    void keysThatCannotChangeTheResultAreIgnored(DecoderFamily family) throws JsonProcessingException {
        JsonNode harmless = JSON.readTree(
                """
                {"tokenizer_class": "LlamaTokenizer", "max_length": 4096, "temperature": 0.7, "do_sample": true, "top_k": 20,
                 "num_beams": 4, "cache_implementation": "hybrid", "suppress_tokens": [1], "bad_words_ids": [[3]],
                 "max_sequence_length": 2048, "model_max_length": 4096, "_commit_hash": "abc", "_flash_attn_2_enabled": true,
                 "auto_map": {"AutoConfig": "x.Y"}, "keys_to_ignore_at_inference": ["past_key_values"], "num_labels": 2,
                 "gradient_checkpointing": true, "resid_pdrop": 0.1, "hidden_dropout": 0.1, "router_aux_loss_coef": 0.001,
                 "unsloth_fixed": true, "peft_version": "0.9", "vision_token_id": 7, "logits_scale": 1.0,
                 "embedding_multiplier": 1, "num_experts": 0, "pruned_heads": {}, "is_encoder_decoder": false}""");
        ObjectNode root = DecoderConfigWriter.write(config(family), "float32");
        root.setAll((ObjectNode) harmless);
        if (family != DecoderFamily.GEMMA3 && family != DecoderFamily.QWEN3_5) {
            root.withObject("rope_parameters")
                    .put("partial_rotary_factor", 1.0)
                    .put("factor", 1.0)
                    .put("original_max_position_embeddings", 7);
        }
        if (family.attentionBias()) {
            root.put("attention_bias", true);
        }
        assertThat(read(root)).isEqualTo(config(family));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    logits_scale            | 0.5
                    num_experts             | 8
                    pruned_heads            | {"0": [1]}
                    quantization_config     | {"bits": 4}
                    is_encoder_decoder      | true
                    qk_layernorm            | true
                    clip_qkv                | 0
                    """)
    void keysThatCouldChangeTheResultAreRefused(String key, String json) throws JsonProcessingException {
        ObjectNode root = DecoderConfigWriter.write(config(DecoderFamily.QWEN2), "float32");
        root.set(key, JSON.readTree(json));
        assertThatThrownBy(() -> read(root)).hasMessageContainingAll("config.json", key, "not supported");
    }

    /** A configuration with changed characters is read or rejected as bad data. */
    @Test
    void changedCharactersAreReadOrRejected() {
        Random random = new Random(20_252);
        List<DecoderFamily> families = List.of(DecoderFamily.values());
        int refused = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            DecoderFamily family = families.get(i % families.size());
            StringBuilder text = new StringBuilder(
                    DecoderConfigWriter.write(config(family), "float32").toString());
            for (int change = random.nextInt(3); change >= 0; change--) {
                text.setCharAt(random.nextInt(text.length()), ALPHABET.charAt(random.nextInt(ALPHABET.length())));
            }
            refused += refusedOrRead(text.toString()) ? 1 : 0;
        }
        assertThat(refused).isBetween(MUTATIONS / 4, MUTATIONS - 1);
    }

    private static boolean refusedOrRead(String text) {
        try {
            return read(JSON.readTree(text)).layers() < 1;
        } catch (JsonProcessingException e) {
            return true; // the directory refuses it before
        } catch (PrpfException e) {
            assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA);
            return true;
        }
    }
}
