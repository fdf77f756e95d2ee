package dev.prpf.par.vision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.ndarray.NDArray;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.data.encode.image.VisionProcessor.VisionPatches;
import dev.prpf.par.engine.Golden;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Script;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.vision.VisionTower.VisionMemory;
import dev.prpf.par.vision.VisionTower.VisionWeights;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The tower against transformers' in float32. */
class VisionTowerTest {
    private static final double TOLERANCE = 1e-4;

    static Stream<ImageGolden> goldens() {
        return ImageGolden.here();
    }

    private static float[] embeds(VisionTower tower, List<VisionPatches> images) {
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            return tower.forward(scratch, images).toFloatArray();
        }
    }

    private static void assertClose(float[] actual, float[] expected, double tolerance) {
        assertThat(actual).hasSameSizeAs(expected);
        assertThat(IntStream.range(0, actual.length)
                        .mapToDouble(i -> Math.abs(actual[i] - expected[i]))
                        .max()
                        .orElseThrow())
                .isLessThan(tolerance);
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void seesEachImageAsTransformersDoes(ImageGolden golden) {
        try (SafeTensors file = golden.open();
                VisionTower tower = HuggingFaceDirectory.open(golden.folder()).tower(Precision.FP32)) {
            for (int image = 0; image < 3; image++) {
                assertClose(
                        embeds(tower, List.of(ImageGolden.patches(file, image))),
                        file.floats("picture" + image + ".embeds"),
                        TOLERANCE);
            }
        }
    }

    /** Two images at a time, large enough that a block processes their patches in several parts, which end within images. */
    @ParameterizedTest
    @MethodSource("goldens")
    void seesImagesTogetherAsOneByOne(ImageGolden golden) {
        try (SafeTensors file = golden.open();
                VisionTower tower = HuggingFaceDirectory.open(golden.folder()).tower(Precision.FP32)) {
            for (int[] order : List.of(
                    new int[] {2, 0, 1},
                    IntStream.range(0, 100).map(i -> (i * i + 2) % 3).toArray())) {
                List<VisionPatches> images = Arrays.stream(order)
                        .mapToObj(image -> ImageGolden.patches(file, image))
                        .toList();
                float[] together = embeds(tower, images);
                int at = 0;
                for (int image : order) {
                    float[] alone = file.floats("picture" + image + ".embeds");
                    assertClose(Arrays.copyOfRange(together, at, at + alone.length), alone, TOLERANCE);
                    at += alone.length;
                }
                assertThat(at).isEqualTo(together.length);
                if (order.length > 3) {
                    assertThat(images.stream().mapToInt(VisionPatches::patches).sum())
                            .isGreaterThan(2 * (int) VisionMemory.TOGETHER)
                            .matches(patches -> patches % VisionMemory.TOGETHER != 0);
                }
            }
        }
    }

    /** Also where the processor multiplies no bfloat16, and the tower takes float32 instead. */
    @ParameterizedTest
    @MethodSource("goldens")
    void inSixteenBitsFeaturesPointTheSameWay(ImageGolden golden) {
        try (SafeTensors file = golden.open();
                VisionTower tower = HuggingFaceDirectory.open(golden.folder()).tower(Precision.BF16)) {
            for (int image = 0; image < 3; image++) {
                float[] found = embeds(tower, List.of(ImageGolden.patches(file, image)));
                assertThat(Golden.cosine(found, file.floats("picture" + image + ".embeds")))
                        .isGreaterThan(0.9995);
            }
        }
    }

    /** One image, or enough copies of it that a block processes their patches in several parts: their losses add up. */
    @ParameterizedTest
    @CsvSource({"qwen3_5_vl,1", "qwen3_5_vl,50", "qwen2_5_vl,1", "qwen2_5_vl,50"})
    void gradientsOfEveryParameterAreThoseOfTransformers(String family, int copies) {
        ImageGolden golden = ImageGolden.own(family);
        try (SafeTensors file = golden.open();
                VisionWeights weights =
                        HuggingFaceDirectory.open(golden.folder()).visionWeights(Precision.FP32);
                PtNDManager scratch = TorchRuntime.newManager()) {
            weights.arrays().values().forEach(array -> array.setRequiresGradient(true));
            Object[] arguments = VisionTower.arguments(
                    scratch,
                    weights.config(),
                    Collections.nCopies(copies, ImageGolden.patches(file, 2)),
                    weights.plain(),
                    Precision.FP32);
            JniUtils.setGradMode(true);
            PtNDArray embeds = Script.decoder().differentiable(scratch, "vision_tower", arguments);
            JniUtils.backward(embeds.square().sum(), (PtNDArray) scratch.create(1f), false, false);
            JniUtils.setGradMode(false);
            weights.arrays().forEach((name, array) -> {
                try (NDArray gradient = array.getGradient()) {
                    double expected = copies * Golden.doubles(file, "gradient_norm." + name)[0];
                    assertThat((double) gradient.norm().toFloatArray()[0])
                            .as(name)
                            .isCloseTo(expected, within(1e-4 * expected));
                }
            });
        }
    }

    @Test
    void patchesOfAnotherSizeAreAMistake() {
        try (VisionTower tower =
                HuggingFaceDirectory.open(ImageGolden.own().folder()).tower(Precision.FP32)) {
            assertThatThrownBy(() -> embeds(tower, List.of(new VisionPatches(new float[12 * 1536], 2, 6))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("2 x 6 patches of 1536 values");
            assertThatThrownBy(() -> embeds(tower, List.of(new VisionPatches(new float[9 * 96], 3, 3))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("in pairs");
        }
    }
}
