package dev.prpf.data.encode.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.TestFiles;
import dev.prpf.data.encode.image.VisionProcessor.VisionGrid;
import dev.prpf.data.encode.image.VisionProcessor.VisionPatches;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("slow")
class VisionProcessorTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int SAMPLES = 64;

    @TempDir
    Path folder;

    private final VisionProcessor processor =
            VisionProcessor.read(TestFiles.golden("vision-patches/preprocessor_config.json"));

    /** Draws an image by the formula at the top of {@code make_vision_patches.py}. */
    private static Pixels image(int width, int height, int seed) {
        int[] rgb = new int[width * height];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                for (int c = 0; c < 3; c++) {
                    int h = (x * 73856093) ^ (y * 19349663) ^ (c * 83492791) ^ (seed * 0x9E3779B1);
                    h ^= h >>> 13;
                    h *= 0x5bd1e995;
                    h ^= h >>> 15;
                    int value = (7 * x + 3 * y + 40 * c + (h & 63)) & 255;
                    rgb[y * width + x] = (rgb[y * width + x] << 8) | value;
                }
            }
        }
        return new Pixels(width, height, rgb);
    }

    private static double mean(float[] values) {
        double sum = 0;
        for (float value : values) {
            sum += value;
        }
        return sum / values.length;
    }

    /** Golden patches of the torchvision and the Pillow processor, with the settings of Qwen3.5 and Qwen2.5-VL. */
    @ParameterizedTest
    @CsvSource({
        "vision-patches, Qwen2VLImageProcessorFast, torchvision",
        "vision-patches, Qwen2VLImageProcessor, pil",
        "vision-patches-qwen2_5_vl, Qwen2VLImageProcessorFast, torchvision",
        "vision-patches-qwen2_5_vl, Qwen2VLImageProcessor, pil"
    })
    void patchesOf200SizesAreThoseOfTransformers(String settings, String type, String backend) {
        VisionProcessor processor = write(settings, c -> c.put("image_processor_type", type));
        try (SafeTensors golden = SafeTensors.open(TestFiles.golden(settings + "/golden.safetensors"))) {
            float[] means = golden.floats(backend + ".means");
            float[] samples = golden.floats(backend + ".samples");
            IntBuffer cases = golden.map("cases").asIntBuffer();
            assertThat(means).hasSize(200);
            for (int i = 0; i < means.length; i++) {
                int[] of = new int[6]; // width, height, seed, budget of tokens, rows, columns
                cases.get(of);
                String name = of[0] + " x " + of[1] + " pixels, at most " + of[3] + " tokens";
                VisionPatches patches = processor.patches(image(of[0], of[1], of[2]), of[3]);
                assertThat(new int[] {patches.rows(), patches.columns()})
                        .as(name)
                        .containsExactly(of[4], of[5]);
                assertThat(mean(patches.values())).as(name).isCloseTo(means[i], within(1e-5));
                for (int k = 0; k < SAMPLES; k++) {
                    int at = (int) ((k * 2654435761L + of[2]) % patches.values().length);
                    assertThat(patches.values()[at])
                            .as("%s, value %s", name, at)
                            .isCloseTo(samples[i * SAMPLES + k], within(1e-5f));
                }
            }
        }
    }

    @Test
    void aBlockOfMergedPatchesStandsTogetherAndEachFrameTwice() {
        int[] rgb = new int[64 * 64];
        for (int i = 0; i < rgb.length; i++) {
            rgb[i] = (i / 64 / 16 * 4 + i % 64 / 16) << 16; // red is the patch's number, row by row
        }
        VisionProcessor plain = write(c -> {
            c.putArray("image_mean").add(0).add(0).add(0);
            c.putArray("image_std").add(1).add(1).add(1);
            c.putObject("size").put("shortest_edge", 1024).put("longest_edge", 4096);
        });
        VisionPatches patches = plain.patches(new Pixels(64, 64, rgb), 0);
        assertThat(patches.patches()).isEqualTo(16);
        assertThat(patches.width()).isEqualTo(3 * 2 * 16 * 16);
        int[] order = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15};
        for (int i = 0; i < order.length; i++) {
            int first = i * patches.width();
            assertThat(patches.values()[first]).isCloseTo(order[i] / 255f, within(1e-6f));
            assertThat(patches.values()[first + 511]).as("second frame").isEqualTo(patches.values()[first]);
            assertThat(patches.values()[first + 512]).as("green").isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "160,  320,  50, 10, 5", // as many as the budget allows
        "161,  320,  50, 10, 5", // the published smallest area exceeds the budget
        "1080, 2400, 50, 10, 4",
        "2000, 10,   40, 1,  40", // narrower than transformers' own limit can hold
        "10,   2000, 40, 40, 1",
        "30,   30,   1,  1,  1",
    })
    void theBudgetOfTokensAlwaysHolds(int width, int height, int maxTokens, int rows, int columns) {
        VisionProcessor published =
                write(c -> c.putObject("size").put("shortest_edge", 65_536).put("longest_edge", 16_777_216));
        VisionGrid grid = published.grid(width, height, maxTokens);
        assertThat(grid.mergedRows()).isEqualTo(rows);
        assertThat(grid.mergedColumns()).isEqualTo(columns);
        assertThat(grid.tokens()).isLessThanOrEqualTo(maxTokens);
        assertThat(published.patches(image(width, height, 1), maxTokens).patches())
                .isEqualTo(4 * grid.tokens());
    }

    @Test
    void anImageThatIsTooNarrowIsRefused() {
        assertThat(processor.grid(200, 1, 0).rows()).isEqualTo(2);
        assertThatThrownBy(() -> processor.grid(201, 1, 0))
                .satisfies(e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessage(
                        "an image of 201 x 1 pixels has an aspect ratio of 201, at most 200 can be encoded; crop it or"
                                + " remove the record");
    }

    private VisionProcessor write(Consumer<ObjectNode> change) {
        return write("vision-patches", change);
    }

    private VisionProcessor write(String settings, Consumer<ObjectNode> change) {
        try {
            Path file = folder.resolve("preprocessor_config.json");
            ObjectNode config = (ObjectNode) JSON.readTree(
                    TestFiles.golden(settings + "/preprocessor_config.json").toFile());
            change.accept(config);
            JSON.writeValue(file.toFile(), config);
            return VisionProcessor.read(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theIdNamesWhatDecidesThePixels() {
        assertThat(write(c -> c.put("processor_class", "Qwen3VLProcessor")).id())
                .isEqualTo(processor.id());
        assertThat(write(c -> c.put("patch_size", 14)).id()).isNotEqualTo(processor.id());
        assertThat(write(c -> c.put("image_processor_type", "Qwen2VLImageProcessor"))
                        .id())
                .isNotEqualTo(processor.id());
        assertThat(write(c -> c.putArray("image_mean").add(0.5).add(0.5).add(0.5))
                        .id())
                .isNotEqualTo(processor.id());
        assertThat(write(c -> c.put("max_pixels", 5_000_000)).preprocessing().maxPixels())
                .isEqualTo(5_000_000);
    }

    @Test
    void whatAFileLeavesOutIsTheClassesOwn() {
        VisionProcessor bare = write(ObjectNode::removeAll);
        assertThat(bare.preprocessing().patch()).isEqualTo(14);
        assertThat(bare.preprocessing().minPixels()).isEqualTo(3136);
        assertThat(bare.preprocessing().mean()).startsWith(0.48145466);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"resample\": 2}|resample = 2, must be 3 (bicubic)",
                "{\"resample\": \"nearest\"}|resample = \"nearest\", must be a number",
                "{\"rescale_factor\": \"x\"}|rescale_factor = \"x\", must be a number",
                "{\"do_resize\": false}|do_resize = false, must be true",
                "{\"do_pad\": true}|unknown keys [do_pad], which may change the pixels",
                "{\"rescale_factor\": 1}|rescale_factor = 1.0, must be 1/255",
                "{\"size\": {\"height\": 4}}|must have shortest_edge and longest_edge (areas in pixels) and no other",
                "{\"size\": {\"longest_edge\": 12.5}}|longest_edge = 12.5, must be a whole number",
                "{\"size\": {\"shortest_edge\": 9, \"longest_edge\": 8}}|must be 1 to longest_edge",
                "{\"size\": {\"shortest_edge\": 9, \"longest_edge\": 800}}|at least a token's 1024",
                "{\"patch_size\": 0}|patch_size = 0, must be 1 to 1024",
                "{\"image_std\": [1, 0, 1]}|each must hold three numbers, those of image_std above 0",
                "{\"image_mean\": [1, \"a\", 1]}|each must hold three numbers",
                "{\"image_processor_type\": \"CLIPImageProcessor\"}|image_processor_type = CLIPImageProcessor, must be Qwen2VLImageProcessorFast or",
            })
    void settingsThatMakeOtherPixelsAreRefused(String change, String message) {
        assertThatThrownBy(() -> write(c -> {
                    try {
                        c.setAll((ObjectNode) JSON.readTree(change));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }))
                .isInstanceOf(PrpfException.class)
                .satisfies(e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("preprocessor_config.json: ")
                .hasMessageContaining(message);
    }

    @Test
    void aMissingFileIsUnavailable() {
        assertThat(Files.exists(folder.resolve("none.json"))).isFalse();
        assertThatThrownBy(() -> VisionProcessor.read(folder.resolve("none.json")))
                .satisfies(e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageContaining("none.json does not exist");
    }
}
