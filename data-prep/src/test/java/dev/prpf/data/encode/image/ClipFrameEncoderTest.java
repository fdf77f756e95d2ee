package dev.prpf.data.encode.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.data.encode.TestFiles;
import dev.prpf.data.onnx.OnnxModel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClipFrameEncoderTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int PIXELS = 3 * 224 * 224;
    private static final double[] DEVIATION = {0.26862954, 0.26130258, 0.27577711};

    @TempDir
    Path folder;

    private Path golden;

    @BeforeEach
    void find() {
        golden = TestFiles.golden("clip-vision");
    }

    private List<Picture> pictures() {
        return IntStream.range(0, 6)
                .mapToObj(i -> Picture.of(golden.resolve("picture" + i + ".png")))
                .toList();
    }

    private float[] expected(String name) {
        try (SafeTensors file = SafeTensors.open(golden.resolve("golden.safetensors"))) {
            return flat(IntStream.range(0, 6)
                    .mapToObj(i -> file.floats("picture" + i + "." + name))
                    .toArray(float[][]::new));
        }
    }

    private static float[] flat(float[][] rows) {
        float[] flat = new float[rows.length * rows[0].length];
        for (int i = 0; i < rows.length; i++) {
            System.arraycopy(rows[i], 0, flat, i * rows[i].length, rows[i].length);
        }
        return flat;
    }

    private static double largestDifference(float[] seen, float[] expected) {
        assertThat(seen).hasSameSizeAs(expected);
        return IntStream.range(0, seen.length)
                .mapToDouble(i -> Math.abs(seen[i] - expected[i]))
                .max()
                .orElseThrow();
    }

    @Test
    void resizesCutsAndNormalisesAsPil() {
        float[] seen;
        try (ClipFrameEncoder clip = ClipFrameEncoder.open(golden, 1)) {
            seen = clip.pixelValues(pictures());
        }
        float[] expected = expected("pixel_values");
        assertThat(seen).hasSameSizeAs(expected);
        double largest = 0;
        double sum = 0;
        for (int i = 0; i < seen.length; i++) {
            double inBytes = Math.abs(seen[i] - expected[i]) * DEVIATION[i % PIXELS / (224 * 224)];
            largest = Math.max(largest, inBytes);
            sum += inBytes;
        }
        assertThat(largest).as("largest difference, of 1").isLessThanOrEqualTo(1e-6);
        assertThat(sum / seen.length).as("mean difference, of 1").isLessThanOrEqualTo(1e-6);
    }

    @Test
    void theTowerGivesTheReferencesEmbeddings() {
        try (ClipFrameEncoder clip = ClipFrameEncoder.open(golden, 1)) {
            assertThat(clip.width()).isEqualTo(16);
            assertThat(clip.loaded()).as("before the first picture").isFalse();
            float[] seen = flat(clip.embeddings(expected("pixel_values"), 6));
            assertThat(largestDifference(seen, expected("image_embeds"))).isLessThan(1e-5);
        }
    }

    @Test
    void picturesToEmbeddingsInOrderWhateverTheThreads() {
        try (ClipFrameEncoder one = ClipFrameEncoder.open(golden, 1);
                ClipFrameEncoder three = ClipFrameEncoder.open(golden, 3)) {
            float[][] seen = three.encode(pictures());
            assertThat(largestDifference(flat(seen), expected("image_embeds"))).isLessThan(1e-4);
            assertThat(largestDifference(flat(one.encode(pictures())), flat(seen)))
                    .isLessThan(1e-6);
            float[] alone = one.encode(pictures().subList(3, 4))[0];
            assertThat(largestDifference(alone, seen[3]))
                    .as("alone or in a batch")
                    .isLessThan(1e-6);
        }
    }

    @Test
    void theIdNamesArithmeticWidthAndTheSumOfTheWeights() throws IOException {
        String id = idOf(copy(directory -> {}));
        assertThat(id).startsWith("clip-fp32-16-" + AtomicFiles.sha256(golden.resolve("model.safetensors")) + "-");
        assertThat(idOf(copy(directory -> {}))).isEqualTo(id);
        assertThat(idOf(copy(directory -> edit(
                        directory,
                        "preprocessor_config.json",
                        root -> root.putArray("image_mean").add(0).add(0).add(0)))))
                .as("other pixels, other vectors")
                .isNotEqualTo(id);
    }

    private static String idOf(Path place) {
        try (ClipFrameEncoder clip = ClipFrameEncoder.open(place, 1)) {
            return clip.id();
        }
    }

    /** A copy of the golden directory with something changed. */
    private Path copy(Consumer<Path> change) throws IOException {
        Path directory = Files.createTempDirectory(folder, "clip");
        for (String name : List.of("config.json", "preprocessor_config.json", "model.safetensors")) {
            Files.copy(golden.resolve(name), directory.resolve(name));
        }
        change.accept(directory);
        return directory;
    }

    private static void edit(Path directory, String name, Consumer<ObjectNode> change) {
        Path file = directory.resolve(name);
        try {
            ObjectNode root = (ObjectNode) JSON.readTree(file.toFile());
            change.accept(root);
            JSON.writeValue(file.toFile(), root);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void editTensors(Path directory, Consumer<Map<String, SafeTensors.Tensor>> change) {
        Path file = directory.resolve("model.safetensors");
        Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
        try (SafeTensors all = SafeTensors.open(file)) {
            all.entries()
                    .forEach((name, entry) ->
                            tensors.put(name, SafeTensors.Tensor.ofFloats(entry.shape(), all.floats(name))));
        }
        change.accept(tensors);
        SafeTensors.write(file, tensors, Map.of());
    }

    @Test
    void readsAWholeClipModelsConfigurationAndOlderPreprocessing() throws IOException {
        Path whole = copy(directory -> {
            edit(directory, "config.json", root -> {
                ObjectNode vision = root.deepCopy();
                root.removeAll();
                root.put("model_type", "clip").put("projection_dim", 16).set("vision_config", vision);
                root.putObject("text_config").put("hidden_size", 512);
            });
            edit(directory, "preprocessor_config.json", root -> {
                root.removeAll();
                root.put("size", 224).put("crop_size", 224).put("resample", 3).put("do_resize", true);
                root.put("feature_extractor_type", "CLIPFeatureExtractor").putNull("do_pad");
            });
            editTensors(
                    directory,
                    tensors -> tensors.put(
                            "text_model.final_layer_norm.bias",
                            SafeTensors.Tensor.ofFloats(new long[] {1}, new float[] {1})));
        });
        try (ClipFrameEncoder clip = ClipFrameEncoder.open(whole, 1)) {
            assertThat(largestDifference(flat(clip.encode(pictures())), expected("image_embeds")))
                    .isLessThan(1e-4);
        }
    }

    @Test
    void anOnnxFileOfTheSameTowerGivesTheSame() throws IOException {
        Path file = folder.resolve("vision_model.onnx");
        ClipVisionConfig config = ClipVisionConfig.read(
                "config.json", JSON.readTree(golden.resolve("config.json").toFile()));
        try (ClipWeights weights = ClipWeights.open(golden.resolve("model.safetensors"));
                FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            out.write(ClipTowerGraph.model(config, weights::floats));
        }
        try (ClipFrameEncoder clip = ClipFrameEncoder.open(file, 2)) {
            assertThat(clip.id()).startsWith("clip-onnx-16-" + AtomicFiles.sha256(file));
            assertThat(largestDifference(flat(clip.encode(pictures())), expected("image_embeds")))
                    .isLessThan(1e-4);
        }
    }

    @Test
    void halfPrecisionWeightsAreWidened() throws IOException {
        Path directory = copy(d -> editTensors(d, tensors -> tensors.replaceAll((name, tensor) -> halves(tensor))));
        try (ClipFrameEncoder clip = ClipFrameEncoder.open(directory, 1)) {
            float[] seen = flat(clip.encode(pictures()));
            float[] expected = expected("image_embeds");
            double dot = 0;
            double a = 0;
            double b = 0;
            for (int i = 0; i < seen.length; i++) {
                dot += seen[i] * expected[i];
                a += seen[i] * seen[i];
                b += expected[i] * expected[i];
            }
            assertThat(dot / Math.sqrt(a * b)).isGreaterThan(0.999);
        }
        assertThat(List.of(ClipWeights.ofHalf((short) 0x3C00), ClipWeights.ofHalf((short) 0xC000)))
                .containsExactly(1f, -2f);
        assertThat(ClipWeights.ofHalf((short) 0x0001)).isEqualTo(0x1p-24f);
        assertThat(ClipWeights.ofHalf((short) 0x7BFF)).isEqualTo(65504f);
        assertThat(ClipWeights.ofHalf((short) 0x3555)).isEqualTo(0x5.55p-4f);
        assertThat(ClipWeights.ofHalf((short) 0xFC00)).isEqualTo(Float.NEGATIVE_INFINITY);
        assertThat(ClipWeights.ofHalf((short) 0x7E00)).isNaN();
    }

    /** The upper halves: bfloat16. */
    private static SafeTensors.Tensor halves(SafeTensors.Tensor tensor) {
        ByteBuffer floats = tensor.data().duplicate().order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer halves = ByteBuffer.allocate(floats.remaining() / 2).order(ByteOrder.LITTLE_ENDIAN);
        while (floats.hasRemaining()) {
            halves.putShort((short) (floats.getInt() >>> 16));
        }
        return new SafeTensors.Tensor("BF16", tensor.shape(), halves.flip());
    }

    @Test
    void laionsActivationIsTheExactGelu() {
        int d = 2;
        ClipVisionConfig config = new ClipVisionConfig(d, d, 1, 1, 2, 2, 1, 1e-5f, ClipVisionConfig.Activation.GELU);
        float[] before = {0.7f, -1.3f};
        // Every weight is zero but fc1's bias and fc2 = I, so that each token leaves the layer as gelu(bias).
        ByteBuffer model = ClipTowerGraph.model(config, (name, shape) -> {
            float[] values = new float[(int) Arrays.stream(shape).reduce(1, (a, b) -> a * b)];
            if (name.endsWith("fc1.bias")) {
                System.arraycopy(before, 0, values, 0, d);
            } else if (name.endsWith("fc2.weight")) {
                values[0] = 1;
                values[3] = 1;
            }
            return SafeTensors.Tensor.ofFloats(shape, values).data();
        });
        try (OnnxModel tower = OnnxModel.load("gelu", model, 1)) {
            float[] hidden = new float[2 * d];
            ClipFrameEncoder.run(tower, ClipTowerGraph.HIDDEN, new float[12], 1, 2)
                    .values()
                    .get(hidden);
            assertThat(hidden[0]).isCloseTo(0.5306254f, org.assertj.core.data.Offset.offset(1e-6f)); // x Φ(x)
            assertThat(hidden[1]).isCloseTo(-0.1258404f, org.assertj.core.data.Offset.offset(1e-6f));
        }
    }

    @Test
    void saysWhatIsMissing() throws IOException {
        refused(folder.resolve("nowhere"), ExitCode.UNAVAILABLE, "CLIP weights", "nowhere does not exist", "ocr");
        Path empty = Files.createDirectory(folder.resolve("empty"));
        refused(empty, ExitCode.UNAVAILABLE, "model.safetensors does not exist");
        Files.createFile(empty.resolve("pytorch_model.bin"));
        refused(empty, ExitCode.UNAVAILABLE, "pytorch_model.bin but no model.safetensors", "save_pretrained");
        for (String name : List.of("config.json", "preprocessor_config.json")) {
            refused(copy(d -> d.resolve(name).toFile().delete()), ExitCode.UNAVAILABLE, name + " does not exist");
        }
        Path text = Files.writeString(folder.resolve("tower.onnx"), "no model");
        refused(text, ExitCode.BAD_DATA, "tower.onnx cannot be loaded by ONNX Runtime");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "config.json              | {\"model_type\": \"bert\"}                 | model_type = \"bert\"",
                "config.json              | {\"hidden_act\": \"relu\"}                 | hidden_act = relu",
                "config.json              | {\"num_attention_heads\": 5}             | heads must divide it",
                "config.json              | {\"patch_size\": 30}                     | patches must tile the picture",
                "config.json              | {\"num_channels\": 1}                    | num_channels = 1",
                "preprocessor_config.json | {\"do_flip\": true, \"pad\": {\"x\": 1}} | unknown keys [do_flip, pad]",
                "preprocessor_config.json | {\"do_center_crop\": false}              | do_center_crop = false",
                "preprocessor_config.json | {\"resample\": 2}                        | resample = 2, must be 3",
                "preprocessor_config.json | {\"rescale_factor\": 1.0}                | rescale_factor = 1.0",
                "preprocessor_config.json | {\"size\": {\"height\": 9}}              | size = {\"height\":9}",
                "preprocessor_config.json | {\"crop_size\": 256}                     | crop_size = 256, size = 224",
                "preprocessor_config.json | {\"image_std\": [1, 1, 0]}               | image_std = [1.0, 1.0, 0.0]",
            })
    void refusesWhatItWouldComputeOtherwise(String file, String change, String message) throws IOException {
        ObjectNode changes = (ObjectNode) JSON.readTree(change);
        Path directory = copy(d -> edit(d, file, root -> root.setAll(changes)));
        refused(directory, ExitCode.BAD_DATA, file, message);
    }

    @Test
    void refusesWeightsThatDoNotFitTheConfiguration() throws IOException {
        String norm = "vision_model.post_layernorm.weight";
        Path missing = copy(d -> editTensors(d, tensors -> tensors.remove(norm)));
        refusedAtFirstPicture(missing, "has no tensor \"" + norm + "\"");
        Path deeper = copy(d -> edit(d, "config.json", root -> root.put("num_hidden_layers", 1)));
        refusedAtFirstPicture(deeper, "has tensors that the vision tower of config.json lacks", "encoder.layers.1.");
        Path other = copy(d -> edit(d, "config.json", root -> root.put("intermediate_size", 60)));
        refusedAtFirstPicture(other, "mlp.fc1.weight has shape [64, 32], config.json asks for [60, 32]");
        Path damaged = copy(d -> editTensors(
                d,
                tensors -> tensors.computeIfPresent(
                        norm, (name, t) -> SafeTensors.Tensor.ofFloats(t.shape(), nans((int) t.shape()[0])))));
        refusedAtFirstPicture(damaged, "gives NaN for picture", "picture0.png", "the weights are damaged");
    }

    private static float[] nans(int count) {
        float[] nans = new float[count];
        Arrays.fill(nans, Float.NaN);
        return nans;
    }

    private static void refused(Path place, ExitCode code, String... messages) {
        assertThatThrownBy(() -> ClipFrameEncoder.open(place, 1).close())
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(code))
                .hasMessageContainingAll(messages);
    }

    private void refusedAtFirstPicture(Path place, String... messages) {
        try (ClipFrameEncoder clip = ClipFrameEncoder.open(place, 1)) {
            assertThatThrownBy(() -> clip.encode(pictures().subList(0, 1)))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                    .hasMessageContainingAll(messages);
        }
    }
}
