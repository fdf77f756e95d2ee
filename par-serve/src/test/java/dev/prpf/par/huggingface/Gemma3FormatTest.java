package dev.prpf.par.huggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderConfig.Mixer;
import dev.prpf.par.engine.RotaryScaling;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Its arithmetic is held by the golden decoders {@code gemma3} and {@code gemma3_scaled}. */
class Gemma3FormatTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static DecoderConfig read(ObjectNode root) {
        return DecoderConfigJson.read("config.json", root);
    }

    private static ObjectNode published() throws JsonProcessingException {
        return (ObjectNode)
                JSON.readTree(
                        """
                {"model_type": "gemma3_text", "hidden_size": 640, "intermediate_size": 2048, "num_hidden_layers": 12,
                 "num_key_value_heads": 1, "sliding_window": 512, "rope_scaling": {"rope_type": "linear", "factor": 8.0}}""");
    }

    @Test
    void missingKeysHaveTransformersDefaults() throws JsonProcessingException {
        DecoderConfig config = read(published());

        assertThat(config.vocabularySize()).isEqualTo(262_208);
        assertThat(config.tiedEmbeddings()).isTrue();
        assertThat(config.tokens().end()).containsExactly(1);
        assertThat(config.layerKinds().get(5)).isEqualTo(Mixer.Kind.FULL_ATTENTION);
        assertThat(config.layerKinds())
                .filteredOn(Mixer.Kind.FULL_ATTENTION::equals)
                .hasSize(2);
        AttentionShape sliding = (AttentionShape) config.mixers().get(0);
        AttentionShape full = (AttentionShape) config.mixers().get(11);
        assertThat(List.of(sliding.ropeTheta(), full.ropeTheta())).containsExactly(1e4, 1e6);
        assertThat(sliding.ropeScaling()).isEqualTo(RotaryScaling.none());
        assertThat(full.ropeScaling()).isEqualTo(new RotaryScaling.Linear(8));
        assertThat(sliding.window()).isEqualTo(512);
        assertThat(full.scale()).isEqualTo(1 / 16.0);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.4, 42.67, 168, 256})
    void theScaleOfScoresComesThroughAFile(double scalar) throws JsonProcessingException {
        DecoderConfig config = read(published().put("query_pre_attn_scalar", scalar));
        DecoderConfig again = read(DecoderConfigWriter.write(config, "float32"));
        for (DecoderConfig of : List.of(config, again)) {
            AttentionShape attention = (AttentionShape) of.mixers().get(0);
            assertThat(attention.scale()).isCloseTo(1 / Math.sqrt(scalar), within(1e-12));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "use_bidirectional_attention | true | not supported",
                "attention_bias | true | not supported",
                "hidden_activation | \"gelu\" | only \"gelu_pytorch_tanh\"",
                "layer_types | [\"linear_attention\"] | num_hidden_layers = 12 names",
                "sliding_window_pattern | 0 | positive",
                "sliding_window | 0 | positive",
                "query_pre_attn_scalar | -1 | positive",
                "rope_parameters | {\"linear_attention\": {\"rope_theta\": 3}} | not supported",
                "final_logit_softcapping | -2 | positive",
                "num_hidden_layers | 5000 | from 1 to 4096"
            })
    void whatIsNotUnderstoodIsRefusedByName(String key, String json, String rule) throws JsonProcessingException {
        ObjectNode root = published();
        root.set(key, JSON.readTree(json));

        assertThatThrownBy(() -> read(root))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContainingAll("config.json", key, rule);
    }
}
