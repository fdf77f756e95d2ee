package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.pytorch.engine.PtNDArray;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.Golden;
import dev.prpf.par.engine.GradientMemory;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Outputs;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class LoraAdaptersTest {
    private static final DecoderConfig LLAMA = TinyModels.config(40, 64, true);
    private static final String QUERY = "model.layers.0.self_attn.q_proj.weight";

    @TempDir
    private Path folder;

    private static LoraSettings settings(@Nullable List<String> targets) {
        return new LoraSettings(3, 6, targets);
    }

    private static PtNDArray array(DecoderWeights weights, String name) {
        return Objects.requireNonNull(weights.arrays().get(name));
    }

    private static PtNDArray merged(LoraAdapters adapters, DecoderWeights weights, String name) {
        return adapters.merged(adapters.manager(), name, array(weights, name));
    }

    private static GradientMemory.Adapters sizes(long ranks, long in, long out) {
        return new GradientMemory.Adapters(ranks, in, out);
    }

    @Test
    void sizesByLayerIncludeTheZerosOfB() {
        DecoderConfig one = TinyModels.llama(100, 8, 16, 1, AttentionShape.of(2, 1, 4, 10_000), 64, true, List.of(1));

        assertThat(LoraAdapters.byLayer(one, settings(null)))
                .as("9 ranks (8 in, 16 out), 3 (8, 8), 6 (8, 32), 3 (16, 8)")
                .containsExactly(List.of(sizes(9, 8, 16), sizes(3, 8, 8), sizes(6, 8, 32), sizes(3, 16, 8)));
        assertThat(LoraAdapters.byLayer(one, settings(List.of("q_proj"))))
                .containsExactly(List.of(sizes(3, 8, 16), sizes(0, 8, 8), sizes(0, 8, 32), sizes(0, 16, 8)));
        assertThat(sizes(9, 8, 16).values()).isEqualTo(9 * 24);
    }

    static List<String> families() {
        return Golden.decoders();
    }

    /** A decoder with adapters next to frozen weights gives the same results as a decoder with merged matrices. */
    @ParameterizedTest
    @MethodSource("families")
    void appliedAdaptersGiveTheLogitsOfMergedOnes(String family) {
        long[] ids = {3, 9, 4, 1, 5, 9, 2, 6};
        try (DecoderWeights weights = weights(family);
                DecoderWeights changed = weights(family);
                LoraAdapters adapters = LoraAdapters.fresh(weights.config(), new LoraSettings(3, 0.6, null), 7)) {
            TestDecoders.filled(adapters, 1);
            adapters.targets()
                    .forEach(name -> changed.put(name, adapters.merged(changed.manager(), name, array(weights, name))));
            for (Precision precision : List.of(Precision.FP32, Precision.BF16)) {
                try (CausalLm base = TestDecoders.frozen(weights, precision);
                        CausalLm applied = base.with(adapters.layers(base));
                        CausalLm merged = TestDecoders.frozen(changed, precision)) {
                    float[] expected = Outputs.flat(Outputs.logits(merged, ids));
                    double cosine = Golden.cosine(Outputs.flat(Outputs.logits(applied, ids)), expected);
                    assertThat(cosine).as("%s", precision).isGreaterThan(precision == Precision.FP32 ? 0.999999 : 0.99);
                    assertThat(Golden.cosine(Outputs.flat(Outputs.logits(base, ids)), expected))
                            .as("%s without adapters", precision)
                            .isLessThan(0.98);
                }
            }
        }
    }

    private static DecoderWeights weights(String family) {
        return HuggingFaceDirectory.open(Golden.folder(family)).weights(Precision.FP32);
    }

    @Test
    void newAdaptersChangeNothing() {
        try (DecoderWeights weights = ModelInit.random(LLAMA, 3);
                LoraAdapters adapters =
                        LoraAdapters.fresh(weights.config(), settings(List.of("q_proj", "down_proj")), 7)) {
            assertThat(merged(adapters, weights, QUERY).toFloatArray())
                    .isEqualTo(array(weights, QUERY).toFloatArray());
            assertThat(TestDecoders.matrices(adapters, "A")[0].getShape().getShape())
                    .containsExactly(3, 32);
            assertThat(TestDecoders.matrices(adapters, "B")[0].getShape().getShape())
                    .containsExactly(32, 3);
            for (float value : TestDecoders.matrices(adapters, "A")[0].toFloatArray()) {
                assertThat(Math.abs(value)).isPositive().isLessThan((float) (1 / Math.sqrt(32)));
            }
        }
    }

    @Test
    void mergedWeightIsTheSumWithTheScaledProduct() {
        try (DecoderWeights weights = ModelInit.random(LLAMA, 3);
                LoraAdapters adapters = LoraAdapters.fresh(weights.config(), settings(List.of("q_proj")), 7)) {
            TestDecoders.filled(adapters, 1);
            float[] a = TestDecoders.matrices(adapters, "A")[0].toFloatArray();
            float[] b = TestDecoders.matrices(adapters, "B")[0].toFloatArray();
            float[] before = array(weights, QUERY).toFloatArray();
            float[] after = merged(adapters, weights, QUERY).toFloatArray();
            for (int row = 0; row < 32; row++) {
                for (int column = 0; column < 32; column++) {
                    double product = 0;
                    for (int r = 0; r < 3; r++) {
                        product += (double) b[row * 3 + r] * a[r * 32 + column];
                    }
                    int i = row * 32 + column;
                    assertThat(after[i]).isCloseTo((float) (before[i] + 2 * product), within(1e-5f));
                }
            }
            String key = "model.layers.0.self_attn.k_proj.weight";
            assertThat(merged(adapters, weights, key).toFloatArray())
                    .isEqualTo(array(weights, key).toFloatArray());
            assertThat(array(weights, QUERY).isReleased()).isFalse();
        }
    }

    @Test
    void withoutTargetsAllProductsThatServersSupportAreAdapted() {
        try (DecoderWeights weights = ModelInit.random(TinyModels.qwen35(40, 64), 3);
                LoraAdapters adapters = LoraAdapters.fresh(weights.config(), settings(null), 7)) {
            assertThat(adapters.targets())
                    .contains(
                            "model.layers.0.linear_attn.in_proj_qkv.weight",
                            "model.layers.0.linear_attn.in_proj_z.weight",
                            "model.layers.0.linear_attn.out_proj.weight",
                            "model.layers.2.self_attn.q_proj.weight",
                            "model.layers.1.mlp.down_proj.weight")
                    .noneMatch(name -> name.contains("in_proj_a") || name.contains("in_proj_b"))
                    .noneMatch(name -> name.contains("embed") || name.contains("norm") || name.contains("conv1d"));
        }
    }

    @Test
    void unknownTargetIsRejectedWithTheKnownOnes() {
        try (DecoderWeights weights = ModelInit.random(LLAMA, 3)) {
            assertThatThrownBy(() -> LoraAdapters.fresh(weights.config(), settings(List.of("q_proj", "query")), 7))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_CONFIG))
                    .hasMessageContainingAll("lora.targets = [query]", "q_proj", "gate_proj");
        }
    }

    @Test
    void settingsAreChecked() {
        assertThatThrownBy(() -> new LoraSettings(0, 1, null)).hasMessageContaining("rank = 0");
        assertThatThrownBy(() -> new LoraSettings(1, 0, null)).hasMessageContaining("alpha = 0.0");
        assertThatThrownBy(() -> new LoraSettings(1, 1, List.of())).hasMessageContaining("targets is empty");
    }

    /** PEFT's names differ between {@code AutoModelForCausalLM} and {@code AutoModelForImageTextToText} as base. */
    @ParameterizedTest
    @CsvSource({"false,base_model.model.model.layers.", "true,base_model.model.model.language_model.layers."})
    void aDirectoryOfPeftHoldsThem(boolean tower, String layers) throws IOException {
        try (DecoderWeights weights = ModelInit.random(LLAMA, 3);
                LoraAdapters adapters =
                        LoraAdapters.fresh(weights.config(), settings(List.of("v_proj", "q_proj")), 7)) {
            TestDecoders.filled(adapters, 1);
            PeftDirectory.write(folder, adapters, Path.of("models/base"), tower);

            JsonNode config = new ObjectMapper()
                    .readTree(folder.resolve("adapter_config.json").toFile());
            assertThat(config.path("peft_type").asText()).isEqualTo("LORA");
            assertThat(config.path("r").asInt()).isEqualTo(3);
            assertThat(config.path("target_modules")).hasSize(2);
            try (SafeTensors file = SafeTensors.open(folder.resolve("adapter_model.safetensors"))) {
                assertThat(file.entries().keySet())
                        .contains(layers + "1.self_attn.v_proj.lora_A.weight")
                        .allMatch(name -> name.startsWith(layers))
                        .hasSize(8);
            }
            try (LoraAdapters read = PeftDirectory.read(folder, weights.config())) {
                assertThat(read.targets()).isEqualTo(adapters.targets());
                assertThat(read.settings().scale()).isEqualTo(2);
                for (int i = 0; i < TestDecoders.matrices(adapters, "B").length; i++) {
                    assertThat(TestDecoders.matrices(read, "B")[i].toFloatArray())
                            .isEqualTo(TestDecoders.matrices(adapters, "B")[i].toFloatArray());
                    assertThat(TestDecoders.matrices(read, "A")[i].toFloatArray())
                            .isEqualTo(TestDecoders.matrices(adapters, "A")[i].toFloatArray());
                }
            }
        }
    }

    @Test
    void foreignAdaptersAreRefused() throws IOException {
        try (DecoderWeights weights = ModelInit.random(LLAMA, 3);
                DecoderWeights other = ModelInit.random(TinyModels.qwen35(40, 64), 3);
                LoraAdapters adapters = LoraAdapters.fresh(weights.config(), settings(List.of("q_proj")), 7)) {
            PeftDirectory.write(folder, adapters, Path.of("models/base"), false);

            assertThatThrownBy(() -> PeftDirectory.read(folder, other.config()))
                    .isInstanceOf(PrpfException.class)
                    .hasMessageContainingAll("adapter_model.safetensors", "lora_A.weight", "is missing");

            Path config = folder.resolve("adapter_config.json");
            Files.writeString(config, Files.readString(config).replace("\"r\" : 3", "\"r\" : 4"));
            assertThatThrownBy(() -> PeftDirectory.read(folder, weights.config()))
                    .hasMessageContainingAll("has shape [3, 32]", "must be [4, 32]");
            Files.writeString(config, Files.readString(config).replace("LORA", "IA3"));
            assertThatThrownBy(() -> PeftDirectory.read(folder, weights.config()))
                    .hasMessageContaining("peft_type LORA");
        }
    }
}
