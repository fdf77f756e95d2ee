package dev.prpf.par.huggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.pytorch.engine.PtNDManager;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderConfig.SpecialTokens;
import dev.prpf.par.engine.DecoderFamily;
import dev.prpf.par.engine.RotaryScaling;
import dev.prpf.par.engine.RotaryTables;
import dev.prpf.par.engine.TorchRuntime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The numbers are transformers' own: src/test/python/rope_scaling.py prints them. */
class RotaryScalingTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int WIDTH = 16;

    private static DecoderConfig read(double theta, int positions, String scaling) throws JsonProcessingException {
        ObjectNode root = DecoderConfigWriter.write(config(RotaryScaling.none()), "float32");
        root.put("rope_theta", theta).put("max_position_embeddings", positions);
        root.remove("rope_parameters");
        root.set("rope_scaling", JSON.readTree(scaling));
        return DecoderConfigJson.read("config.json", root);
    }

    private static DecoderConfig config(RotaryScaling scaling) {
        return new DecoderConfig(
                DecoderFamily.LLAMA,
                100,
                32,
                96,
                DecoderConfig.fullAttention(2),
                new AttentionShape(2, 2, WIDTH, WIDTH, 1e4, scaling),
                null,
                4096,
                1e-6,
                true,
                new SpecialTokens(1, List.of(2), null));
    }

    private static void same(float[] frequencies, double... expected) {
        assertThat(frequencies).hasSameSizeAs(expected);
        for (int i = 0; i < expected.length; i++) {
            assertThat((double) frequencies[i]).as("pair %d", i).isCloseTo(expected[i], within(2e-7 * expected[i]));
        }
    }

    private static float[] frequencies(DecoderConfig config) {
        AttentionShape attention = config.attention();
        return attention.ropeScaling().frequencies(attention.ropeTheta(), attention.rotaryDim());
    }

    @Test
    void linearDividesEveryFrequency() throws JsonProcessingException {
        DecoderConfig config = read(1e4, 4096, "{\"type\": \"linear\", \"factor\": 2.5}");

        same(
                frequencies(config),
                0.4000000059604645,
                0.12649109959602356,
                0.03999999910593033,
                0.012649111449718475,
                0.003999999724328518,
                0.0012649111449718475,
                0.0004000000189989805,
                0.0001264911115868017);
        assertThat(config.attention().ropeScaling().attentionFactor()).isEqualTo(1);
    }

    @Test
    void llama3DividesTheSlowFrequenciesAndBlendsThoseBetween() throws JsonProcessingException {
        DecoderConfig config = read(
                5e5,
                131072,
                """
                {"rope_type": "llama3", "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                 "original_max_position_embeddings": 8192}""");

        same(
                frequencies(config),
                1.0,
                0.193922758102417,
                0.03760603070259094,
                0.00729266507551074,
                0.000429556705057621,
                8.570255886297673e-06,
                1.6619674170215148e-06,
                3.2229328894572973e-07);
        assertThat(config.maxPositions()).isEqualTo(131072);
    }

    @Test
    void yarnRampsAndReachesFurtherThanTheNamedPositions() throws JsonProcessingException {
        DecoderConfig config = read(1e6, 32768, "{\"rope_type\": \"yarn\", \"factor\": 4.0}");

        same(
                frequencies(config),
                1.0,
                0.17782793939113617,
                0.03162277862429619,
                0.004217559937387705,
                0.0005000000237487257,
                4.4456985051510856e-05,
                7.905693564680405e-06,
                1.405853367941745e-06);
        assertThat(config.attention().ropeScaling().attentionFactor()).isCloseTo(1.138629436111989, within(1e-12));
        assertThat(config.maxPositions()).isEqualTo(131072);
    }

    @Test
    void yarnTakesItsOtherKeys() throws JsonProcessingException {
        DecoderConfig config = read(
                1e4,
                4096,
                """
                {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 512, "beta_fast": 16.0, "beta_slow": 2.0,
                 "truncate": false, "mscale": 1.0, "mscale_all_dim": 0.707}""");

        same(
                frequencies(config),
                1.0,
                0.3162277638912201,
                0.07160846143960953,
                0.007324998266994953,
                0.0012499999720603228,
                0.00039528473280370235,
                0.0001250000059371814,
                3.9528473280370235e-05);
        assertThat(config.attention().ropeScaling().attentionFactor()).isCloseTo(1.053118360780668, within(1e-12));
    }

    @Test
    void tablesAreStretchedAndWarmed() {
        RotaryScaling yarn = new RotaryScaling.Yarn(4, 1024, 1.5, 32, 1, true);
        DecoderConfig config = config(yarn);
        try (PtNDManager manager = TorchRuntime.newManager()) {
            RotaryTables.Pair pair = new RotaryTables(config, manager).upTo(10);
            float[] cosines = pair.cosines()[0].toFloatArray();
            float[] sines = pair.sines()[0].toFloatArray();
            float[] frequencies = yarn.frequencies(1e4, WIDTH);
            for (int i = 0; i < WIDTH / 2; i++) {
                double angle = 9.0 * frequencies[i];
                assertThat((double) cosines[9 * WIDTH + i]).isCloseTo(1.5 * Math.cos(angle), within(1e-6));
                assertThat((double) sines[9 * WIDTH + i]).isCloseTo(-1.5 * Math.sin(angle), within(1e-6));
                assertThat(sines[9 * WIDTH + WIDTH / 2 + i]).isEqualTo(-sines[9 * WIDTH + i]);
            }
        }
    }

    @Test
    void whatIsWrittenIsRead() {
        for (RotaryScaling scaling : List.of(
                new RotaryScaling.Linear(2),
                new RotaryScaling.Llama3(8, 1, 4, 2048),
                new RotaryScaling.Yarn(2, 2048, 1.25, 30, 2, false))) {
            DecoderConfig config = config(scaling);

            assertThat(DecoderConfigJson.read("config.json", DecoderConfigWriter.write(config, "float32")))
                    .isEqualTo(config);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {"rope_type":"longrope","factor":2}                       | rope_scaling.rope_type = "longrope"
                    {"type":"dynamic","factor":2}                             | rope_scaling.type = "dynamic"
                    {"rope_type":"linear"}                                    | rope_scaling.factor = (missing): rope_type linear needs it
                    {"rope_type":"linear","factor":"2"}                       | rope_scaling.factor = "2": must be a number
                    {"rope_type":"linear","factor":0.5}                       | factor = 0.5 must be at least 1
                    {"rope_type":"linear","factor":2,"beta_fast":32}          | rope_scaling.beta_fast = 32: this key is not supported
                    {"rope_type":"llama3","factor":8,"low_freq_factor":4,"high_freq_factor":1} | low_freq_factor = 4.0 must be positive and below high_freq_factor = 1.0
                    {"rope_type":"llama3","factor":8,"high_freq_factor":1}    | low_freq_factor = (missing): rope_type llama3 needs it
                    {"rope_type":"yarn","factor":4,"beta_fast":1,"beta_slow":2} | beta_slow = 2.0 must be positive and at most beta_fast = 1.0
                    {"rope_type":"yarn","factor":4,"attention_factor":0}      | attention_factor = 0.0 must be positive
                    {"rope_type":"yarn","factor":4,"original_max_position_embeddings":0} | original_max_position_embeddings = 0 must be positive
                    {"rope_type":"yarn","factor":4,"truncate":1}              | truncate = 1: must be true or false
                    """)
    void whatIsNotUnderstoodIsRefusedByName(String scaling, String message) {
        assertThatThrownBy(() -> read(1e4, 4096, scaling))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContainingAll("config.json", message);
    }

    @ParameterizedTest
    @ValueSource(doubles = {1, 0.5})
    void yarnNeedsABaseWhoseLogarithmDivides(double theta) {
        assertThatThrownBy(() -> read(theta, 4096, "{\"rope_type\": \"yarn\", \"factor\": 4.0}"))
                .hasMessageContaining("rope_theta = " + theta + " must be above 1");
    }
}
