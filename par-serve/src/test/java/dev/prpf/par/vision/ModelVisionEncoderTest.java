package dev.prpf.par.vision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.image.VisionProcessor;
import dev.prpf.par.engine.Golden;
import dev.prpf.par.engine.ImageFeatures;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Tensors;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.vision.ModelVisionEncoder.FeatureStore;
import dev.prpf.par.vision.VisionTower.VisionWeights;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModelVisionEncoderTest {
    private static final Path MODEL = ImageGolden.own().folder();

    /** Tolerance of features computed from a file; its pixels differ from the reference's by float32 rounding. */
    private static final double TOLERANCE = 1e-3;

    @TempDir
    Path folder;

    private VisionProcessor processor;

    @BeforeEach
    void readProcessor() throws IOException {
        processor = VisionProcessor.read(
                Files.writeString(folder.resolve("preprocessor_config.json"), ImageGolden.PREPROCESSOR));
    }

    private ImageFile image(String name, int width, int height, long seed) throws IOException {
        return ImageFile.of(ImageGolden.image(folder.resolve(name), width, height, seed));
    }

    private static VisionTower tower(float bias) {
        try (VisionWeights weights = HuggingFaceDirectory.open(MODEL).visionWeights(Precision.FP32)) {
            if (bias != 0) {
                float[] values = new float[64];
                values[0] = bias;
                weights.put(
                        "model.visual.merger.linear_fc2.bias",
                        Tensors.create(weights.manager(), new long[] {64}, values));
            }
            return VisionTower.of(weights, Precision.FP32);
        }
    }

    private ModelVisionEncoder encoder(VisionTower tower, @Nullable Path store) {
        return new ModelVisionEncoder(processor, tower, "tower", store);
    }

    private float[] alone(ImageFile image, int maxTokens) {
        try (VisionTower tower = tower(0);
                PtNDManager scratch = TorchRuntime.newManager()) {
            return tower.forward(scratch, List.of(processor.patches(image.read(), maxTokens)))
                    .toFloatArray();
        }
    }

    private static void assertClose(float[] found, float[] expected, double tolerance) {
        assertThat(found).hasSameSizeAs(expected);
        assertThat(IntStream.range(0, found.length)
                        .mapToDouble(i -> Math.abs(found[i] - expected[i]))
                        .max()
                        .orElseThrow())
                .isLessThan(tolerance);
    }

    private static void assertClose(ImageFeatures found, float[] expected) {
        assertClose(found.values(), expected, 1e-4);
    }

    @Test
    void imagesOfSeveralSizesAreSeenTogetherAsEachAlone() throws IOException {
        ImageFile wide = image("wide.png", 70, 30, 1);
        ImageFile tall = image("tall.png", 20, 60, 2);
        try (ModelVisionEncoder encoder = encoder(tower(0), null)) {
            VisionImage first = encoder.image(wide, 0);
            VisionImage less = encoder.image(wide, 8);
            VisionImage second = encoder.image(tall, 0);
            assertThat(first.grid()).isEqualTo(new ImageGrid(4, 9));
            assertThat(less.grid().tokens()).isLessThanOrEqualTo(8);

            List<ImageFeatures> features = encoder.features(List.of(first, second, less, first));

            assertThat(features).hasSize(4);
            assertThat(features.get(3)).isSameAs(features.get(0));
            assertClose(features.get(0), alone(wide, 0));
            assertClose(features.get(1), alone(tall, 0));
            assertClose(features.get(2), alone(wide, 8));
            assertThat(features.get(2).grid()).isEqualTo(less.grid());
        }
    }

    @Test
    void keysNameContentAndGrid() throws IOException {
        ImageFile one = image("one.png", 40, 40, 1);
        ImageFile copy = ImageFile.of(Files.copy(folder.resolve("one.png"), folder.resolve("copy.png")));
        ImageFile other = image("other.png", 40, 40, 2);
        try (ModelVisionEncoder encoder = encoder(tower(0), null)) {
            String key = encoder.image(one, 0).key();
            assertThat(key)
                    .matches("[0-9a-f]{64}")
                    .isEqualTo(encoder.image(copy, 0).key());
            assertThat(encoder.image(one, 4).key()).isNotEqualTo(key);
            assertThat(encoder.image(other, 0).key()).isNotEqualTo(key);
        }
    }

    /** A vision encoder with another bias gets the same id, so that only the store can return the first one's features. */
    @Test
    void whatWasSeenOnceIsReadFromMemoryAndFromTheStore() throws IOException {
        ImageFile file = image("one.png", 64, 64, 1);
        Path store = folder.resolve("store");
        float[] seen;
        try (ModelVisionEncoder encoder = encoder(tower(0), store)) {
            VisionImage image = encoder.image(file, 0);
            seen = encoder.features(List.of(image)).get(0).values();
            Files.write(folder.resolve("one.png"), new byte[] {1});
            assertThat(encoder.features(List.of(image)).get(0).values()).isEqualTo(seen);
        }
        ImageGolden.image(folder.resolve("one.png"), 64, 64, 1);
        try (ModelVisionEncoder encoder = encoder(tower(1), store)) {
            assertThat(encoder.features(List.of(encoder.image(file, 0))).get(0).values())
                    .isEqualTo(seen);
        }
        try (ModelVisionEncoder encoder = encoder(tower(1), null)) {
            assertThat(encoder.features(List.of(encoder.image(file, 0))).get(0).values()[0])
                    .isCloseTo(seen[0] + 1 - bias(), within(1e-3f));
        }
    }

    private static float bias() {
        try (SafeTensors file = SafeTensors.open(MODEL.resolve("model.safetensors"))) {
            return file.floats("model.visual.merger.linear_fc2.bias")[0];
        }
    }

    @Test
    void featuresThatTakeSeveralPartsOfTheStoreAreReadBackWhole() {
        ImageGrid grid = new ImageGrid(40, 30);
        float[] values = new float[1200 * 2048]; // two parts and a half
        for (int i = 0; i < values.length; i++) {
            values[i] = i % 1013;
        }
        try (FeatureStore store = new FeatureStore("t", 2048, 1 << 26, folder.resolve("parts"))) {
            assertThat(store.get("a", grid)).isNull();
            store.put(new ImageFeatures("a", grid, values));
        }
        try (FeatureStore store = new FeatureStore("t", 2048, 1 << 20, folder.resolve("parts"))) {
            for (int i = 0; i < 2; i++) {
                assertThat(Objects.requireNonNull(store.get("a", grid)).values())
                        .isEqualTo(values);
            }
            assertThat(store.get("b", grid)).isNull();
        }
    }

    @Test
    void whatDoesNotFitIsRefusedBeforeItIsDecoded() throws IOException {
        ImageFile image = image("one.png", 64, 64, 1);
        try (VisionTower tower = tower(0);
                FeatureStore store = new FeatureStore("t", 64, 1 << 20, null);
                ModelVisionEncoder encoder = new ModelVisionEncoder(processor, tower, store, wanted -> 1000)) {
            List<VisionImage> images = List.of(encoder.image(image, 0));
            assertThatThrownBy(() -> encoder.features(images))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.OUT_OF_MEMORY))
                    .hasMessageContaining("an image of 256 patches");
        }
    }

    @Test
    void aProcessorOfAnotherModelIsRefused() throws IOException {
        VisionProcessor other = VisionProcessor.read(
                Files.writeString(folder.resolve("other.json"), ImageGolden.PREPROCESSOR.replace(": 4,", ": 16,")));
        try (VisionTower tower = tower(0)) {
            assertThatThrownBy(() -> new ModelVisionEncoder(other, tower, "t", folder.resolve("store")))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                    .hasMessageContainingAll("patches of 16 pixels", "config.json takes 4");
        }
        assertThat(folder.resolve("store"))
                .as("a store that nobody would close is not opened")
                .doesNotExist();
    }

    @Test
    void anImageTooNarrowToBeSeenIsNamedWithItsSample() throws IOException {
        Path file = ImageGolden.image(folder.resolve("line.png"), 402, 2, 1);
        try (ModelVisionEncoder encoder = encoder(tower(0), null)) {
            assertThatThrownBy(() -> encoder.image(new ImageFile(file, null, "s7"), 0))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                    .hasMessageContainingAll("sample s7", "line.png", "aspect ratio of 201");
        }
    }

    /** From the files of images to what transformers makes of them. */
    @ParameterizedTest
    @ValueSource(strings = {"qwen3_5_vl", "qwen2_5_vl"})
    void imagesAreSeenAsTransformersDoes(String family) {
        ImageGolden golden =
                ImageGolden.here(family).reduce((own, shared) -> shared).orElseThrow();
        Assumptions.assumeTrue(
                Files.exists(golden.folder().resolve("picture0.png")),
                "the larger golden outputs are not here: PRPF_GOLDEN names their folder");
        VisionProcessor own = VisionProcessor.read(golden.folder().resolve("preprocessor_config.json"));
        try (SafeTensors file = golden.open();
                ModelVisionEncoder encoder =
                        HuggingFaceDirectory.open(golden.folder()).visionEncoder(Precision.FP32, null)) {
            for (int i = 0; i < 3; i++) {
                VisionImage image = encoder.image(ImageFile.of(golden.folder().resolve("picture" + i + ".png")), 0);
                long[] grid = Golden.ids(file, "picture" + i + ".grid_thw");
                assertThat(image.grid()).isEqualTo(new ImageGrid((int) grid[1] / 2, (int) grid[2] / 2));
                assertClose(
                        own.patches(image.image().read(), 0).values(),
                        file.floats("picture" + i + ".pixel_values"),
                        1e-5);
                assertClose(
                        encoder.features(List.of(image)).get(0).values(),
                        file.floats("picture" + i + ".embeds"),
                        TOLERANCE);
            }
        }
    }
}
