package dev.prpf.data.encode.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnxruntime.platform.Fp16Conversions;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.data.encode.TestFiles;
import dev.prpf.data.onnx.OnnxModel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class OnnxImageEncoderTest {
    private static final Logger LOG = LoggerFactory.getLogger(OnnxImageEncoderTest.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private final Path golden = TestFiles.golden("clip-vision");

    private static List<ImageFile> images() {
        return IntStream.range(0, 6)
                .mapToObj(i -> ImageFile.of(TestFiles.golden("images/picture" + i + ".png")))
                .toList();
    }

    private static float[] expected(Path tower, String name) {
        try (SafeTensors file = SafeTensors.open(tower.resolve("golden.safetensors"))) {
            return file.floats(name);
        }
    }

    private float[] expected(String name) {
        return expected(golden, name);
    }

    private static OnnxImageEncoder open(Path place, int threads) {
        return OnnxImageEncoder.open(place, null, threads);
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

    @ParameterizedTest
    @CsvSource({"clip-vision, 0.26862954", "siglip-vision, 0.5"})
    void resizesCutsAndNormalisesAsPil(String name, double std) {
        Path tower = TestFiles.golden(name);
        try (OnnxImageEncoder encoder = open(tower, 1)) {
            float[] seen = encoder.pixelValues(images());
            double inBytes = largestDifference(seen, expected(tower, "pixel_values")) * std;
            assertThat(inBytes).as("largest difference, of 1").isLessThanOrEqualTo(1e-6);
        }
    }

    @Test
    void resizesBilinearlyAsPil() throws IOException {
        Path siglip2 = copy("siglip-vision", d -> edit(d, "preprocessor_config.json", root -> root.put("resample", 2)));
        try (OnnxImageEncoder encoder = open(siglip2, 1)) {
            float[] expected = expected(TestFiles.golden("siglip-vision"), "bilinear.pixel_values");
            assertThat(largestDifference(encoder.pixelValues(images()), expected) / 2)
                    .isLessThanOrEqualTo(1e-6);
        }
    }

    @ParameterizedTest
    @CsvSource({"clip-vision, 16, clip-fp32-16-", "siglip-vision, 32, siglip-fp32-32-"})
    void theTowerGivesTheReferencesEmbeddings(String name, int width, String id) {
        Path tower = TestFiles.golden(name);
        try (OnnxImageEncoder encoder = open(tower, 1)) {
            assertThat(encoder.width()).isEqualTo(width);
            assertThat(encoder.id()).startsWith(id + AtomicFiles.sha256(tower.resolve("model.safetensors")) + "-");
            assertThat(encoder.loaded()).as("before the first image").isFalse();
            float[] seen = flat(encoder.embeddings(expected(tower, "pixel_values"), 6));
            double worst = largestDifference(seen, expected(tower, "embeds"));
            LOG.info("{}: largest difference from transformers: {}", name, worst);
            assertThat(worst).isLessThan(1e-5);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"clip-vision", "siglip-vision"})
    void imagesToEmbeddingsInOrderWhateverTheThreads(String name) {
        Path tower = TestFiles.golden(name);
        try (OnnxImageEncoder one = open(tower, 1);
                OnnxImageEncoder three = open(tower, 3)) {
            float[][] seen = three.encode(images());
            assertThat(largestDifference(flat(seen), expected(tower, "embeds"))).isLessThan(1e-4);
            assertThat(largestDifference(flat(one.encode(images())), flat(seen)))
                    .isLessThan(1e-5);
            float[] alone = one.encode(images().subList(3, 4))[0];
            assertThat(largestDifference(alone, seen[3]))
                    .as("alone or in a batch")
                    .isLessThan(1e-5);
        }
    }

    @Test
    void theIdNamesArithmeticWidthAndTheSumOfTheWeights() throws IOException {
        assertThat(idOf(golden))
                .as("stores and perceivers of earlier versions stay")
                .isEqualTo("clip-fp32-16-f4f3689781413fa19be0f8b3c01f969e50bb416ddd2651036c187e7bd4c153f4-303c6b1d");
        assertThat(idOf(copy(directory -> edit(
                        directory,
                        "preprocessor_config.json",
                        root -> root.putArray("image_mean").add(0).add(0).add(0)))))
                .as("other pixels, other vectors")
                .isNotEqualTo(idOf(golden));
    }

    private static String idOf(Path place) {
        try (OnnxImageEncoder encoder = open(place, 1)) {
            return encoder.id();
        }
    }

    @Test
    void aTowerThatIsNotWhatWasAskedForIsRefused() {
        assertThatThrownBy(() -> OnnxImageEncoder.open(TestFiles.golden("siglip-vision"), TowerFamily.CLIP, 1)
                        .close())
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("config.json: is a siglip vision encoder, not clip:PATH; name it siglip:");
    }

    /** Creates a weights file with a header of large tensors and without data. */
    @Test
    void aTowerBeyondTwoGibibytesIsRefusedBeforeAnythingElse() throws IOException {
        Path large = copy(directory -> {});
        long values = 600_000_000; // 1.2 GB in bfloat16, 2.4 GB in float32
        byte[] header = ("{\"vision_model.x\":{\"dtype\":\"BF16\",\"shape\":[" + values + "],\"data_offsets\":[0,"
                        + 2 * values + "]}}")
                .getBytes(StandardCharsets.UTF_8);
        try (RandomAccessFile file =
                new RandomAccessFile(large.resolve("model.safetensors").toFile(), "rw")) {
            file.write(ByteBuffer.allocate(8)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(0, header.length)
                    .array());
            file.write(header);
            file.setLength(8 + header.length + 2 * values);
        }
        refused(
                large,
                ExitCode.BAD_DATA,
                "model.safetensors: a network of 2400000000 bytes, must be smaller than 2 GiB (2^31 bytes)");
    }

    /** Copies the golden directory and changes something. */
    private Path copy(Consumer<Path> change) throws IOException {
        return copy("clip-vision", change);
    }

    private Path copy(String name, Consumer<Path> change) throws IOException {
        Path directory = Files.createTempDirectory(folder, "clip");
        for (String file : List.of("config.json", "preprocessor_config.json", "model.safetensors")) {
            Files.copy(TestFiles.golden(name).resolve(file), directory.resolve(file));
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
                root.put("size", 64).put("crop_size", 64).put("resample", 3).put("do_resize", true);
                root.put("feature_extractor_type", "CLIPFeatureExtractor").putNull("do_pad");
            });
            editTensors(
                    directory,
                    tensors -> tensors.put(
                            "text_model.final_layer_norm.bias",
                            SafeTensors.Tensor.ofFloats(new long[] {1}, new float[] {1})));
        });
        try (OnnxImageEncoder clip = open(whole, 1)) {
            assertThat(largestDifference(flat(clip.encode(images())), expected("embeds")))
                    .isLessThan(1e-4);
        }
    }

    @Test
    void anOnnxFileOfTheSameTowerGivesTheSame() throws IOException {
        Path file = folder.resolve("vision_model.onnx");
        ImageEncoderConfig config = ImageEncoderConfig.read(
                "config.json", JSON.readTree(golden.resolve("config.json").toFile()));
        try (ImageEncoderWeights weights = ImageEncoderWeights.open(golden.resolve("model.safetensors"));
                FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            out.write(VisionTowerGraph.model(config, weights::floats));
        }
        Files.copy(golden.resolve("preprocessor_config.json"), folder.resolve("preprocessor_config.json"));
        assertThat(idOf(file)).as("of no named family").startsWith("tower-onnx-16-");
        try (OnnxImageEncoder clip = OnnxImageEncoder.open(file, TowerFamily.CLIP, 2)) {
            assertThat(clip.id()).startsWith("clip-onnx-16-" + AtomicFiles.sha256(file));
            assertThat(largestDifference(flat(clip.encode(images())), expected("embeds")))
                    .isLessThan(1e-4);
        }
    }

    @Test
    void halfPrecisionWeightsAreWidened() throws IOException {
        widened(copy(d -> editTensors(d, tensors -> tensors.replaceAll((name, tensor) -> halves(tensor)))));
        widened(copy(d -> editTensors(d, tensors -> tensors.replaceAll((name, tensor) -> ieeeHalves(tensor)))));
    }

    private void widened(Path directory) {
        try (OnnxImageEncoder clip = open(directory, 1)) {
            float[] seen = flat(clip.encode(images()));
            float[] expected = expected("embeds");
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
    }

    private static ByteBuffer bytes(SafeTensors.Tensor tensor) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            tensor.content().writeTo(Channels.newChannel(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ByteBuffer.wrap(bytes.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static SafeTensors.Tensor ieeeHalves(SafeTensors.Tensor tensor) {
        FloatBuffer floats = bytes(tensor).asFloatBuffer();
        ByteBuffer halves = ByteBuffer.allocate(floats.remaining() * 2).order(ByteOrder.LITTLE_ENDIAN);
        while (floats.hasRemaining()) {
            halves.putShort(Fp16Conversions.floatToFp16(floats.get()));
        }
        return new SafeTensors.Tensor("F16", tensor.shape(), halves.flip());
    }

    /** Converts floats to their upper halves, bfloat16. */
    private static SafeTensors.Tensor halves(SafeTensors.Tensor tensor) {
        ByteBuffer floats = bytes(tensor);
        ByteBuffer halves = ByteBuffer.allocate(floats.remaining() / 2).order(ByteOrder.LITTLE_ENDIAN);
        while (floats.hasRemaining()) {
            halves.putShort((short) (floats.getInt() >>> 16));
        }
        return new SafeTensors.Tensor("BF16", tensor.shape(), halves.flip());
    }

    @Test
    void laionsActivationIsTheExactGelu() {
        int d = 2;
        ImageEncoderConfig config = new ImageEncoderConfig(
                TowerFamily.CLIP, d, d, 1, 1, 2, 2, 1, 1e-5f, ImageEncoderConfig.Activation.GELU);
        float[] before = {0.7f, -1.3f};
        // Every weight is zero but fc1's bias and fc2 = I, so that each token leaves the layer as gelu(bias).
        ByteBuffer model = VisionTowerGraph.model(config, (name, shape) -> {
            float[] values = new float[(int) Arrays.stream(shape).reduce(1, (a, b) -> a * b)];
            if (name.endsWith("fc1.bias")) {
                System.arraycopy(before, 0, values, 0, d);
            } else if (name.endsWith("fc2.weight")) {
                values[0] = 1;
                values[3] = 1;
            }
            return bytes(SafeTensors.Tensor.ofFloats(shape, values));
        });
        try (OnnxModel tower = OnnxModel.load("gelu", model, 1)) {
            float[] hidden = new float[2 * d];
            tower.run(new long[] {1, 3, 2, 2}, new float[12], VisionTowerGraph.HIDDEN)
                    .values()
                    .get(hidden);
            assertThat(hidden[0]).isCloseTo(0.5306254f, org.assertj.core.data.Offset.offset(1e-6f)); // x Φ(x)
            assertThat(hidden[1]).isCloseTo(-0.1258404f, org.assertj.core.data.Offset.offset(1e-6f));
        }
    }

    @Test
    void saysWhatIsMissing() throws IOException {
        refused(
                folder.resolve("nowhere"),
                ExitCode.UNAVAILABLE,
                "weights of a vision encoder",
                "nowhere does not exist",
                "ocr");
        Path empty = Files.createDirectory(folder.resolve("empty"));
        refused(empty, ExitCode.UNAVAILABLE, "model.safetensors does not exist");
        Files.createFile(empty.resolve("pytorch_model.bin"));
        refused(empty, ExitCode.UNAVAILABLE, "pytorch_model.bin but no model.safetensors", "save_pretrained");
        for (String name : List.of("config.json", "preprocessor_config.json")) {
            refused(copy(d -> d.resolve(name).toFile().delete()), ExitCode.UNAVAILABLE, name + " does not exist");
        }
        Path text = Files.writeString(folder.resolve("tower.onnx"), "no model");
        refused(text, ExitCode.BAD_DATA, "tower.onnx cannot be loaded by ONNX Runtime: it is not an ONNX model");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "config.json              | {\"model_type\": \"bert\"}                 | model_type = \"bert\"",
                "config.json              | {\"hidden_act\": \"relu\"}                 | hidden_act = relu",
                "config.json              | {\"num_attention_heads\": 5}             | heads must divide it",
                "config.json              | {\"patch_size\": 30}                     | patches must tile the image",
                "config.json              | {\"vision_use_head\": false}             | gives no vector of an image",
                "config.json              | {\"num_channels\": 1}                    | num_channels = 1",
                "preprocessor_config.json | {\"do_flip\": true, \"pad\": {\"x\": 1}} | unknown keys [do_flip, pad]",
                "preprocessor_config.json | {\"do_center_crop\": false}              | do_center_crop = false",
                "preprocessor_config.json | {\"resample\": 1}                        | resample = 1, must be 3",
                "preprocessor_config.json | {\"rescale_factor\": 1.0}                | rescale_factor = 1.0",
                "preprocessor_config.json | {\"size\": {\"height\": 9}}              | size = {\"height\":9}",
                "preprocessor_config.json | {\"crop_size\": 256}                     | crop_size = 256, size = 64",
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
        refusedAtFirstImage(missing, "has no tensor \"" + norm + "\"");
        Path deeper = copy(d -> edit(d, "config.json", root -> root.put("num_hidden_layers", 1)));
        refusedAtFirstImage(deeper, "has tensors that the vision encoder of config.json lacks", "encoder.layers.1.");
        Path other = copy(d -> edit(d, "config.json", root -> root.put("intermediate_size", 60)));
        refusedAtFirstImage(other, "mlp.fc1.weight has shape [48, 32], config.json requires [60, 32]");
        Path damaged = copy(d -> editTensors(
                d,
                tensors -> tensors.computeIfPresent(
                        norm, (name, t) -> SafeTensors.Tensor.ofFloats(t.shape(), nans((int) t.shape()[0])))));
        refusedAtFirstImage(damaged, "gives NaN for image", "picture0.png", "the weights are damaged");
    }

    private static float[] nans(int count) {
        float[] nans = new float[count];
        Arrays.fill(nans, Float.NaN);
        return nans;
    }

    private static void refused(Path place, ExitCode code, String... messages) {
        assertThatThrownBy(() -> open(place, 1).close())
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(code))
                .hasMessageContainingAll(messages);
    }

    private void refusedAtFirstImage(Path place, String... messages) {
        try (OnnxImageEncoder clip = open(place, 1)) {
            assertThatThrownBy(() -> clip.encode(images().subList(0, 1)))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                    .hasMessageContainingAll(messages);
        }
    }
}
